import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** The write door: what a write rests on, what is told of it, and what a read may be older than. */
export const writes: ReadonlyArray<Plant> = [
  {
    name: "witness-of-another",
    what: "A write whose answer was lost is taken for written where any event, posting or attempt of its group is there, whoever wrote it: a withdrawal is acknowledged that nobody stored.",
    storage: "memory",
    since: 1,
    edits: [
      inCore(
        "storage/GroupWriter.ts",
        "const isIn = yield* resolve(merged.id)",
        `const isIn = yield* driver.facts(factKeys(merged.units)).pipe(
      Effect.map(({ attempts, events, ledger }) => attempts.size + events.size + ledger.size > 0),
      Effect.orElseSucceed(() => undefined)
    )`
      )
    ]
  },
  {
    name: "unknown-told-as-written",
    what: "A write that nobody could ask the storage about is told as written: the caller has a 201 for money that is nowhere.",
    storage: "memory",
    since: 1,
    edits: [
      inCore(
        "storage/GroupWriter.ts",
        'if (isIn === undefined) return yield* new StorageError({ reason: "OutcomeUnknown" })',
        "if (isIn === undefined) return null"
      )
    ]
  },
  {
    name: "unknown-told-as-unwritten",
    what: 'A write that nobody could ask the storage about is told as "nothing was written", and it was.',
    storage: "memory",
    since: 7,
    edits: [
      inCore(
        "storage/GroupWriter.ts",
        'if (isIn === undefined) return yield* new StorageError({ reason: "OutcomeUnknown" })',
        'if (isIn === undefined) return yield* new StorageError({ reason: "Unavailable" })'
      )
    ]
  },
  {
    name: "resent-unresolved",
    what: "After a lost answer the write is decided and sent again without making the first copy void: what was refused the second time comes in by the first.",
    storage: "memory",
    since: 7,
    edits: [
      inCore(
        "storage/GroupWriter.ts",
        "const isIn = yield* resolve(merged.id)",
        "const isIn: boolean | undefined = isBroken ? false : yield* resolve(merged.id)"
      )
    ]
  },
  {
    name: "refused-told-as-written",
    what: "Who went along in a group that the storage refused is told that it was written.",
    storage: "memory",
    edits: [
      inCore(
        "storage/GroupWriter.ts",
        "if (isWritten(answer)) {",
        "if (isWritten(answer) || hopeful) {"
      )
    ]
  },
  {
    name: "void-not-kept",
    what: "That a write never comes in any more is told and not stored: its late copy does come in.",
    storage: "memory",
    edits: [inCore("storage-memory/StorageMemory.ts", "  state.writes.set(id, known)\n", "")]
  },
  {
    name: "write-identity-not-kept",
    what: "The identity of a write is not stored with it: after a lost answer it is taken for lost, and decided anew on what it has itself written.",
    storage: "memory",
    edits: [
      inCore(
        "storage-memory/StorageMemory.ts",
        "  state.writes.set(id, { isVoid: false, atMillis })\n",
        ""
      )
    ]
  },
  {
    name: "version-not-compared",
    what: "An update does not look at the version of its row: of two decisions about one charge the second undoes the first.",
    storage: "memory",
    edits: [
      inCore(
        "units/Decision.ts",
        "if (facts.rows.get(row.id) !== expected)",
        "if (!facts.rows.has(row.id))"
      )
    ]
  },
  {
    name: "version-not-raised",
    what: "A changed row keeps its version, so that whoever read it before may still write: of two decisions the second undoes the first.",
    storage: "memory",
    edits: [
      inCore(
        "storage-memory/StorageMemoryState.ts",
        "writeRow(state, unit, row, expected + 1)",
        "writeRow(state, unit, row, expected)"
      )
    ]
  },
  {
    name: "expects-not-compared",
    what: "What a decision rests on may have changed: money is credited to what was closed meanwhile.",
    storage: "memory",
    edits: [
      inCore("units/Decision.ts", "if (facts.rows.get(id) !== version)", "if (!facts.rows.has(id))")
    ]
  },
  {
    name: "lease-not-compared",
    what: "Any holder of a lease may end a job, also one whose lease is over or whose job was put in line anew: what the newer notice tells of is never looked at.",
    storage: "memory",
    edits: [
      inCore(
        "units/Decision.ts",
        "facts.jobs.get(jobName(job)) !== job.token",
        "!facts.jobs.has(jobName(job))"
      )
    ]
  },
  {
    name: "names-not-unique",
    what: "Only the PSP's own names of payouts are unique: one payment is booked under two charges, and two sub-accounts have one reference.",
    storage: "memory",
    edits: [
      inCore(
        "units/Decision.ts",
        "if (facts.keys.has(uniqueName(key)))",
        'if (key.space === "payout" && facts.keys.has(uniqueName(key)))'
      )
    ]
  },
  {
    name: "overdraft",
    what: "The floor of what is available is gone: two withdrawals at once take the same money, and the wallet owes it.",
    storage: "memory",
    edits: [
      inCore(
        "units/Decision.ts",
        '["available", "held", "promotional", "lien"]',
        '["held", "promotional", "lien"]'
      ),
      inCore(
        "units/Decision.ts",
        "change.spends && after.available - after.lien < 0n",
        "change.spends && before.available < 0n"
      )
    ]
  },
  {
    name: "blocked-money-spent",
    what: "What balance blocks claim may be spent: the payer who wins gets less than the wallet had for him.",
    storage: "memory",
    edits: [
      inCore(
        "units/Decision.ts",
        "change.spends && after.available - after.lien < 0n",
        "change.spends && after.available < 0n"
      )
    ]
  },
  {
    name: "limit-passed-once",
    what: "A limit is looked at before the operation is counted: the one that passes it is taken.",
    storage: "memory",
    edits: [
      inCore(
        "units/Decision.ts",
        "max !== undefined && used + add > max",
        "max !== undefined && used > max"
      )
    ]
  },
  {
    name: "clock-of-the-machine",
    what: "Business time is the clock of each machine: one that is ahead forgets living keys, and the retry pays twice.",
    storage: "memory",
    since: 2,
    edits: [
      inCore(
        "time/ServiceTime.ts",
        "clock.millisBy(local) + offsetMillis",
        "local.currentTimeMillisUnsafe() + offsetMillis"
      )
    ]
  },
  {
    name: "read-joins-an-older-one",
    what: "A read joins one that is on its way already: what was acknowledged before it was asked for is not there.",
    storage: "memory",
    edits: [
      inCore(
        "storage/Gather.ts",
        "let waiting = new Map<string, Entry<Q, A>>()",
        `let waiting = new Map<string, Entry<Q, A>>()
  const flying = new Map<string, Entry<Q, A>>()`
      ),
      inCore(
        "storage/Gather.ts",
        "waiting = new Map(all.slice(groupMax))",
        `waiting = new Map(all.slice(groupMax))
    for (const [name, entry] of all.slice(0, groupMax)) flying.set(name, entry)`
      ),
      inCore(
        "storage/Gather.ts",
        "if (group.length > 0) yield* answerTo(group)",
        `if (group.length > 0) yield* answerTo(group)
      for (const { question } of group) flying.delete(nameOf(question))`
      ),
      inCore(
        "storage/Gather.ts",
        "const { answered } = entryIn(waiting, question, nameOf(question))",
        `const known = flying.get(nameOf(question))
      if (known !== undefined) return Effect.succeed(known.answered)
      const { answered } = entryIn(waiting, question, nameOf(question))`
      )
    ]
  },
  {
    name: "remembered-row-not-compared",
    what: "A row that was read once is taken for unchanged while its status is the same: nothing that rests on it can be written any more.",
    storage: "memory",
    edits: [
      inCore(
        "units/Kind.ts",
        "  one.version === other.version &&\n  one.status === other.status &&",
        "  one.status === other.status &&"
      ),
      inCore(
        "units/Kind.ts",
        "  one.kind === other.kind &&\n  one.document === other.document",
        "  one.kind === other.kind"
      )
    ]
  }
]
