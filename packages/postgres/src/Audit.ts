import type { AuditReport, StorageError } from "@pagora/core"
import { Effect } from "effect"
import { bucketCode } from "./Buckets.ts"
import type { Database } from "./Database.ts"

/** So many of each kind are named; more say nothing more. */
const perRuleMax = 1000

/** An operation's status and amount, and its bookings as `t`. */
const overBookings = (row: string): string =>
  `'is ' || ${row}.status || ' over ' || coalesce(${row}.amount::text, 'null')
      || ' centavos with [' || coalesce(string_agg(t.kind || ' ' || t.amount, ', '
        order by (t.kind || ' ' || t.amount) collate "C"), '') || ']'`

/** What must never be, as selects of a subject and a detail. No detail quotes a document. */
const rules: Readonly<Record<string, string>> = {
  unbalanced: `select t.id::text as subject,
      count(p.tx) || ' postings sum to ' || coalesce(sum(p.amount), 0) || ' centavos' as detail
    from pagora.ledger_tx t left join pagora.posting p on p.tx = t.id
    group by t.id
    having count(p.tx) < 2 or coalesce(sum(p.amount), 0) <> 0 or coalesce(bool_or(p.amount = 0), false)`,
  orphan_posting: `select p.tx::text,
      case when t.id is null then 'a posting of a transaction that does not exist'
        else 'posts to the wallet ' || p.owner || ', which does not exist' end
    from pagora.posting p
    left join pagora.ledger_tx t on t.id = p.tx
    left join pagora.wallet w on w.id = p.owner
    where t.id is null or (p.bucket < 100 and w.id is null)`,
  global_sum: `select 'ledger', 'all postings sum to ' || sum(p.amount) || ' centavos instead of zero'
    from pagora.posting p having sum(p.amount) <> 0`,
  wallet_mismatch: `select b.id::text, b.bucket || ' is ' || b.stored || ' centavos and its postings sum to ' || b.posted
    from (
      select w.id, x.bucket, x.stored, coalesce(s.posted, 0) as posted
      from pagora.wallet w
      cross join lateral (values
        (0, 'available', w.available), (1, 'held', w.held), (2, 'promotional', w.promotional)
      ) as x (code, bucket, stored)
      left join (
        select p.owner, p.bucket, sum(p.amount) as posted from pagora.posting p
          where p.bucket < 100 group by p.owner, p.bucket
      ) as s on s.owner = w.id and s.bucket = x.code
    ) as b where b.stored <> b.posted`,
  negative: `select w.id::text, x.bucket || ' is ' || x.stored || ' centavos'
    from pagora.wallet w
    cross join lateral (values
      ('available', w.available), ('held', w.held), ('promotional', w.promotional), ('lien', w.lien)
    ) as x (bucket, stored)
    where x.stored < 0`,
  charge_without_payment: `select c.id::text, 'is ' || c.status || ' over ' || coalesce(c.amount::text, 'no')
      || ' centavos with payments of [' || coalesce(string_agg(t.amount::text, ', ' order by t.id), '') || ']'
    from pagora.operation c
    left join pagora.ledger_tx t on t.source = c.id and t.kind = 'payment'
    where c.kind = 'charge'
    group by c.id
    having case when c.status = 'completed'
      then count(t.id) <> 1 or min(t.amount) is distinct from c.amount else count(t.id) > 0 end`,
  withdrawal_misbooked: `select w.id::text, ${overBookings("w")}
    from pagora.operation w
    left join pagora.ledger_tx t on t.source = w.id
    where w.kind = 'withdrawal'
    group by w.id
    having count(*) filter (where t.kind = 'hold') <> 1
      or count(*) filter (where t.kind = 'withdrawal')
        <> case when w.status in ('completed', 'reversed') then 1 else 0 end
      or count(*) filter (where t.kind = 'release') <> case when w.status = 'failed' then 1 else 0 end
      or count(*) filter (where t.kind = 'adjustment')
        <> case when w.status = 'reversed' then 1 else 0 end
      or coalesce(bool_or(t.kind in ('hold', 'release', 'adjustment')
        and t.amount is distinct from w.amount), false)`,
  return_misbooked: `select r.id::text, ${overBookings("r")}
    from pagora.operation r
    left join pagora.ledger_tx t on t.source = r.id
    where r.kind = 'return'
    group by r.id
    having count(*) filter (where t.kind = 'hold') > 1
      or count(*) filter (where t.kind = 'refund') <> case
        when r.status = 'confirmed' and coalesce(bool_or(t.kind = 'hold'), false) then 1 else 0 end
      or count(*) filter (where t.kind = 'release') <> case when r.status = 'failed' then 1 else 0 end
      or count(*) filter (where t.kind = 'deposit_return') <> case
        when r.status = 'confirmed' and not coalesce(bool_or(t.kind = 'hold'), false) then 1 else 0 end
      or coalesce(bool_or(t.kind in ('refund', 'deposit_return')
        and t.amount is distinct from r.amount), false)`,
  block_overdrawn: `select b.id::text, ${overBookings("b")}
    from pagora.operation b
    join pagora.ledger_tx t on t.source = b.id
    where b.kind = 'balance_block'
    group by b.id
    having coalesce(sum(t.amount) filter (where t.kind = 'chargeback'), 0)
      > case when b.status in ('approved', 'collecting') then coalesce(b.amount, 0) else 0 end`,
  charge_overspent: `select c.id::text, ${overBookings("c")}
    from pagora.operation c
    join pagora.ledger_tx t on t.source = c.id
    where c.kind = 'charge'
    group by c.id
    having coalesce(sum(t.amount) filter (where t.kind in ('fee', 'internal_transfer')), 0)
      > coalesce(c.amount, 0)`,
  closed_not_empty: `select s.id::text, 'is closed and holds ' || (w.available + w.held + w.promotional)
      || ' centavos, with a lien of ' || w.lien
    from pagora.registry s
    join pagora.wallet w on w.id = s.id
    where s.kind = 'sub_account' and s.status = 'closed'
      and (w.available <> 0 or w.held <> 0 or w.promotional <> 0 or w.lien <> 0)`,
  lien_missing: `select o.wallet::text, 'has a lien of ' || coalesce(w.lien, 0)
      || ' centavos for blocks that claim ' || o.claim
    from (
      select b.wallet, sum(coalesce(b.amount, 0) - coalesce((
          select sum(t.amount) from pagora.ledger_tx t
          where t.source = b.id and t.kind = 'chargeback'), 0)) as claim
      from pagora.operation b
      where b.kind = 'balance_block' and b.status in ('awaiting_response', 'defended', 'collecting')
        and b.wallet is not null
      group by b.wallet
    ) as o
    left join pagora.wallet w on w.id = o.wallet
    where coalesce(w.lien, 0) < o.claim`,
  suspense_mismatch: `select coalesce(s.account, o.account)::text, 'has ' || coalesce(s.posted, 0)
      || ' centavos in suspense, and ' || coalesce(o.owed, 0) || ' on their way back'
    from (
      select p.owner as account, sum(p.amount) as posted from pagora.posting p
      where p.bucket = ${bucketCode("suspense")} group by p.owner
    ) as s
    full join (
      select r.account, sum(coalesce(r.amount, 0)) as owed from pagora.operation r
      where r.kind = 'return' and r.status in ('requested', 'processing') and not exists (
        select 1 from pagora.ledger_tx t where t.source = r.id and t.kind = 'hold')
      group by r.account
    ) as o on o.account = s.account
    where coalesce(s.posted, 0) <> coalesce(o.owed, 0)`,
  unattended: `select o.id::text, 'is ' || o.status || ' and stands in no line'
    from pagora.operation o
    join (values
      ('charge', 'creating', array['charge']), ('charge', 'pending', array['charge']),
      ('withdrawal', 'pending', array['payout', 'review']),
      ('withdrawal', 'processing', array['payout', 'review']),
      ('withdrawal', 'manual_review', array['payout', 'review']),
      ('return', 'requested', array['return', 'review']),
      ('return', 'processing', array['return', 'review']),
      ('balance_block', 'collecting', array['block'])
    ) as l (kind, status, queues) on l.kind = o.kind and l.status = o.status
    where not exists (select 1 from pagora.job j where j.queue = any (l.queues) and j.id = o.id)`,
  event_missing: `select c.id::text, 'is ' || c.status || ' and no event of its account says so'
    from pagora.operation c
    where (c.kind = 'charge' and c.status = 'completed'
        or c.kind = 'withdrawal' and c.status in ('completed', 'failed', 'reversed')
        or c.kind = 'return' and c.status = 'confirmed' and exists (
          select 1 from pagora.ledger_tx t where t.source = c.id and t.kind = 'hold'))
      and not exists (
        select 1 from pagora.event e where e.account = c.account and e.key = c.id::text)`,
  delivery_without_event: `select d.id::text, 'of event ' || d.event
    from pagora.delivery d
    where not exists (select 1 from pagora.event e where e.id = d.event)`
}

const findings = Object.entries(rules)
  .map(
    ([rule, select]) =>
      `(select '${rule}' as rule, found.* from (${select}) as found (subject, detail) limit ${perRuleMax})`
  )
  .join(" union all ")

// One statement is one snapshot: what is written meanwhile is in all of it, or in none.
const statement = `select
  (select count(*) from (select distinct p.owner, p.bucket from pagora.posting p) as a) as accounts,
  (select count(*) from pagora.posting) as entries,
  (select coalesce(json_agg(json_build_object('rule', f.rule, 'subject', f.subject, 'detail', f.detail)
    order by f.rule, f.subject, f.detail), '[]') from (${findings}) as f) as violations`

/** Recomputes every figure from the postings and names what does not hold. */
export const audit = (database: Database): Effect.Effect<AuditReport, StorageError> =>
  Effect.map(database.read(statement, [], "1 hour"), (answers) => {
    const answer = answers[0] ?? {}
    return {
      accounts: Number(answer["accounts"]),
      entries: Number(answer["entries"]),
      violations: answer["violations"] as AuditReport["violations"]
    }
  })
