import { assert, describe, it } from "@effect/vitest"
import type { Journey, WithId } from "@pagora/testkit"
import { expecting, journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { block, operator, paid } from "../blocks/BalanceBlocks.test-data.ts"
import { codeOf, noon, existing, random, world } from "../world/ServiceWorld.test-data.ts"
import { rowsOf } from "../reviews/Reviews.test-data.ts"
import { as, opened, subAccountBecomes } from "../sub-accounts/SubAccounts.test-data.ts"

const get = <const Path extends string>(path: Path) =>
  Effect.flatMap(operator("GET", path), expecting(200))

type Rows<Path extends string> = Effect.Success<ReturnType<typeof rowsOf<Path>>>

/** All rows of a list, page by page; `between` happens after each page. */
const walk = Effect.fnUntraced(function* <const Path extends string, R = never>(
  path: Path,
  limit: number,
  between?: Effect.Effect<unknown, never, R>
) {
  const pages: Array<ReadonlyArray<unknown>> = []
  const joined = path.includes("?") ? "&" : "?"
  for (let cursor = ""; cursor !== "null";) {
    const query = `limit=${limit}${cursor && `&cursor=${cursor}`}`
    const page: Page = yield* Effect.map(
      get<string>(`${path}${joined}${query}`),
      (body: object) => body as Page
    )
    pages.push(page.data)
    assert.isBelow(pages.length, 200)
    cursor = String(page.nextCursor)
    if (between !== undefined) yield* between
  }
  for (const page of pages.slice(0, -1)) assert.strictEqual(page.length, limit)
  return pages.flat() as unknown as Rows<Path>
})

interface Page {
  readonly data: ReadonlyArray<unknown>
  readonly nextCursor: string | null
}

/** A shop with money of every kind in its main wallet and in one of two sub-accounts. */
const busy = Effect.gen(function* () {
  const story = yield* journey({ subAccountAccess: true })
  const [branch, closed] = [yield* opened(story, "loja-1"), yield* opened(story, "loja-2")]
  yield* story.change({ fees: { payment: { fixed: 0.5 }, withdrawal: { fixed: 0.2 } } })
  yield* story.endpoint()
  yield* story.endpoint({ url: "https://other.example.com/hook" })
  yield* story.adjust({ amount: 20, reason: "opening" })
  yield* story.adjust({ amount: 3, reason: "gift", bucket: "promotional", subAccount: "loja-1" })
  const charge = yield* paid(story, 10, { split: [{ subAccount: "loja-1", amount: 2 }] })
  yield* TestClock.adjust("1 second")
  const wrong = yield* story.charge()
  yield* story.pay(wrong, { amount: 3 })
  const inBranch = yield* as(story, "loja-1").call("POST", "/pix", { amount: 7 })
  yield* story.pay(inBranch.json)
  yield* block(story, charge, { amount: 1 })
  const withdrawal = yield* story.withdraw({ amount: 5 })
  yield* story.settleWithdrawal(withdrawal, "completed")
  yield* story.drain
  return { story, branch, closed, charge, withdrawal }
})

/** Every list of an account's, the field that names a row, and how one more comes to be. */
const lists: ReadonlyArray<{
  readonly name: string
  readonly id?: string
  readonly more: (story: Journey, n: number) => Effect.Effect<unknown, unknown, TestPagora>
}> = [
  {
    name: "credentials",
    more: ({ shop }) =>
      operator("POST", `/accounts/${shop.id}/credentials`, { permissions: ["PIX:WRITE"] })
  },
  {
    name: "balances",
    id: "walletId",
    more: ({ shop }, n) =>
      shop.call("POST", "/sub-accounts", { body: { reference: `more-${n}`, name: "x" } })
  },
  {
    name: "sub-accounts",
    more: ({ shop }, n) =>
      shop.call("POST", "/sub-accounts", { body: { reference: `more-${n}`, name: "x" } })
  },
  { name: "transactions", more: (story) => story.charge() },
  { name: "entries", more: (story) => story.adjust({ amount: 1, reason: "more" }) },
  {
    name: "balance-blocks",
    more: (story) => Effect.flatMap(paid(story), (charge) => block(story, charge))
  },
  { name: "deliveries", more: (story) => paid(story) }
]
const names = lists.map(({ name }) => name)
const unknownAccounts = [random.uuid, "x", "%00"]

describe("a list of an account", () => {
  it.effect.each(lists)("$name: is walked once, newest first, while more comes", (list) =>
    Effect.gen(function* () {
      const { id = "id", more, name } = list
      const { story } = yield* busy
      const stranger = yield* busy
      let n = 0
      for (; n < 3; n++) yield* more(story, n)
      const path = `/accounts/${story.shop.id}/${name}` as const
      const all = yield* rowsOf<string>(`${path}?limit=100`)
      const idsOf = (rows: Rows<string>) => rows.map((row) => String(row[id]))
      const known = idsOf(all)
      assert.isAtLeast(known.length, 4)
      assert.strictEqual(new Set(known).size, known.length)
      const times = all.flatMap(({ createdAt }) => (createdAt === undefined ? [] : `${createdAt}`))
      assert.deepStrictEqual(times, times.toSorted().toReversed())
      for (const limit of [2, known.length]) {
        const seen = idsOf(yield* walk(path, limit, Effect.orDie(more(story, n++))))
        assert.strictEqual(new Set(seen).size, seen.length)
        // What came during the first walk stands in front of it in the second.
        assert.deepStrictEqual(seen.slice(-known.length), known)
      }
      const theirs = idsOf(yield* walk(`/accounts/${stranger.story.shop.id}/${name}`, 7))
      assert.isFalse(theirs.some((row) => known.includes(row)))
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect.each(names)("%s: takes no cursor and no limit that is none", (name) =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      for (const query of [
        "limit=0",
        "limit=101",
        "limit=-1",
        "limit=ten",
        "limit=1.5",
        "limit=",
        "cursor=",
        "cursor=x",
        "cursor=%00",
        `cursor=${random.uuid.toUpperCase()}`,
        `cursor=${random.uuid}'--`,
        `cursor=${random.uuid}.12345`
      ]) {
        const answer = yield* operator("GET", `/accounts/${shop.id}/${name}?${query}`)
        assert.strictEqual(answer.status, 400, query)
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR", query)
      }
    }).pipe(Effect.provide(world))
  )

  it.effect.each(names)("%s: of an account that is not there is 404", (name) =>
    Effect.gen(function* () {
      for (const id of unknownAccounts) {
        const answer = yield* operator("GET", `/accounts/${id}/${name}`)
        assert.strictEqual(answer.status, 404, id)
        assert.deepStrictEqual(answer.json.details, {
          code: "ACCOUNT_NOT_FOUND",
          resource: "account",
          id: id === "%00" ? "\0" : id
        })
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("is the operator's alone", () =>
    Effect.gen(function* () {
      const { api, operator } = yield* TestPagora
      const { shop } = yield* journey()
      const pair = { client_id: shop.clientId, client_secret: shop.clientSecret }
      const { json } = yield* api("POST", "/auth", { body: pair })
      const token = { authorization: `Bearer ${json.access_token}` }
      for (const path of ["/accounts", ...names.map((name) => `/accounts/${shop.id}/${name}`)]) {
        for (const headers of [token, { authorization: "" }]) {
          assert.strictEqual((yield* operator("GET", path, { headers })).status, 401, path)
        }
      }
    }).pipe(Effect.provide(world))
  )

  it.effect("stays when the account is suspended and a sub-account of it closed", () =>
    Effect.gen(function* () {
      const { story } = yield* busy
      const path = <const Name extends string>(name: Name) =>
        `/accounts/${story.shop.id}/${name}?limit=100` as const
      const rows = Effect.forEach(names, (name) => rowsOf<string>(path(name)))
      const before = yield* rows
      yield* subAccountBecomes(story, "loja-2", "closed")
      yield* story.change({ status: "suspended" })
      const after = yield* rows
      assert.deepStrictEqual(
        after.map(({ length }) => length),
        before.map(({ length }) => length)
      )
      const balances = yield* rowsOf(path("balances"))
      assert.deepStrictEqual(
        balances.map(({ status, subAccount }) => [subAccount as unknown, status]),
        [
          ["loja-2", "closed"],
          ["loja-1", "approved"],
          [null, "suspended"]
        ]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("has fifty rows where the caller does not say how many", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      for (let n = 0; n < 51; n++) yield* story.adjust({ amount: 1, reason: "x" })
      const pages = [
        yield* get(`/accounts/${story.shop.id}/transactions`),
        yield* get(`/accounts/${story.shop.id}/entries`)
      ]
      for (const page of pages) {
        assert.strictEqual(page.data.length, 50)
        assert.isString(page.nextCursor)
      }
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's accounts", () => {
  it.effect("are walked newest first, and narrowed by status", () =>
    Effect.gen(function* () {
      const stories = yield* Effect.replicateEffect(journey(), 5)
      const ids = stories.map(({ shop }) => shop.id).toReversed()
      yield* stories[1]?.change({ status: "suspended" }) ?? Effect.void
      const idsOf = (rows: ReadonlyArray<WithId>) => rows.map(({ id }) => id)
      assert.deepStrictEqual(idsOf(yield* walk("/accounts", 2)), ids)
      assert.deepStrictEqual(idsOf(yield* walk("/accounts?status=suspended", 1)), [
        existing(ids[3])
      ])
      assert.deepStrictEqual(yield* walk("/accounts?status=closed", 1), [])
      const grown = yield* walk("/accounts", 2, journey())
      assert.deepStrictEqual(idsOf(grown), ids)
      const [first] = yield* rowsOf("/accounts?limit=1")
      assert.deepStrictEqual(yield* get(`/accounts/${String(first?.id)}`), first)
      for (const query of ["status=lost", "limit=0", "cursor=x"]) {
        const answer = yield* operator("GET", `/accounts?${query}`)
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR", query)
      }
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's credentials", () => {
  it.effect("are listed with what they may do, and without their secret", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      const path = `/accounts/${shop.id}/credentials` as const
      const body = { permissions: ["PIX:WRITE"], allowedIps: ["203.0.113.0/24"] }
      const issued = (yield* operator("POST", path, body)).json
      yield* operator("DELETE", `${path}/${issued.id}`)
      const [revoked, first] = yield* rowsOf(path)
      const at = new Date(noon).toISOString()
      assert.deepStrictEqual(revoked as unknown, {
        id: issued.id,
        clientId: issued.clientId,
        status: "revoked",
        ...body,
        subAccountAccess: false,
        createdAt: at,
        revokedAt: at
      })
      assert.deepInclude(first as object, { clientId: shop.clientId, status: "active" })
      assert.notProperty(first, "revokedAt")
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's transactions", () => {
  it.effect("are those of every wallet as the tenant sees them, each once, with its wallet", () =>
    Effect.gen(function* () {
      const { story } = yield* busy
      const path = `/accounts/${story.shop.id}/transactions` as const
      const tenants = "/transactions?limit=100"
      const main = (yield* story.shop.call("GET", tenants)).json.data
      const branch = (yield* as(story, "loja-1").call("GET", tenants)).json.data
      const all = yield* walk(path, 3)
      const expected = new Map([...main, ...branch].map((line) => [line.id, line]))
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        [...expected.keys()].toSorted().toReversed()
      )
      for (const { subAccount, ...line } of all) {
        assert.deepStrictEqual(line as unknown, expected.get(line.id))
        const isOfBranch = !main.some(({ id }) => id === line.id)
        assert.strictEqual(subAccount as unknown, isOfBranch ? "loja-1" : null)
      }
      const ids = (rows: ReadonlyArray<WithId>) => rows.map(({ id }) => id)
      assert.deepStrictEqual(ids(yield* walk(`${path}?subAccount=principal`, 4)), ids(main))
      assert.deepStrictEqual(ids(yield* walk(`${path}?subAccount=loja-1`, 1)), ids(branch))
      assert.deepStrictEqual(yield* walk(`${path}?subAccount=loja-2`, 1), [])
      for (const query of ["type=fee", "status=failed", "type=payment&status=completed"]) {
        const wanted = new URLSearchParams(query)
        const matching = all.filter((line) =>
          [...wanted].every(([name, value]) => String(line[name as keyof typeof line]) === value)
        )
        assert.isNotEmpty(matching, query)
        assert.deepStrictEqual(yield* walk(`${path}?${query}`, 2), matching, query)
      }
      const second = new Date(noon + 1_000).toISOString()
      const [early, late] = [
        yield* walk(`${path}?to=${new Date(noon + 999).toISOString()}`, 5),
        yield* walk(`${path}?from=${second}`, 5)
      ]
      assert.isNotEmpty(early)
      assert.isNotEmpty(late)
      assert.deepStrictEqual([...late, ...early], all)
    }).pipe(Effect.provide(world))
  )

  it.effect("and entries name sub-accounts that are there, and times and types that are ones", () =>
    Effect.gen(function* () {
      const { shop } = yield* journey()
      for (const name of ["transactions", "entries"]) {
        const path = `/accounts/${shop.id}/${name}` as const
        const unknown = yield* operator("GET", `${path}?subAccount=loja-9`)
        assert.strictEqual(unknown.status, 404)
        assert.deepStrictEqual(unknown.json.details, {
          code: "SUB_ACCOUNT_NOT_FOUND",
          resource: "sub-account",
          id: "loja-9"
        })
        for (const query of ["from=yesterday", "to=1", "subAccount="]) {
          assert.strictEqual((yield* operator("GET", `${path}?${query}`)).status, 400, query)
        }
      }
      for (const query of ["type=charge", "status=expired"]) {
        const answer = yield* operator("GET", `/accounts/${shop.id}/transactions?${query}`)
        assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
      }
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's entries", () => {
  it.effect("sum to what every bucket of every wallet holds", () =>
    Effect.gen(function* () {
      const { story } = yield* busy
      const path = `/accounts/${story.shop.id}` as const
      const entries = yield* walk(`${path}/entries`, 4)
      const balances = yield* rowsOf(`${path}/balances`)
      assert.strictEqual(balances.length, 3)
      for (const balance of balances) {
        const ofWallet = entries.filter(({ walletId }) => walletId === balance.walletId)
        const sum = (...buckets: ReadonlyArray<string>) =>
          ofWallet
            .filter(({ bucket }) => buckets.includes(bucket))
            .reduce((total, { amount }) => total + Math.round(amount * 100), 0)
        const figure = (name: "available" | "promotional" | "held") => balance[name].amount
        assert.strictEqual(sum("promotional"), figure("promotional"))
        // What is blocked shows as held and is booked as available.
        assert.strictEqual(sum("available", "held"), figure("available") + figure("held"))
        for (const { subAccount } of ofWallet) assert.strictEqual(subAccount, balance.subAccount)
      }
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("tell what was booked, for what, when and where", () =>
    Effect.gen(function* () {
      const { branch, charge, story, withdrawal } = yield* busy
      const path = `/accounts/${story.shop.id}/entries` as const
      const entries = yield* walk(path, 5)
      const [leg] = entries.filter(
        ({ kind, subAccount }) =>
          kind === "internal_transfer" && (subAccount as unknown) === "loja-1"
      )
      assert.deepInclude(leg as object, {
        walletId: branch.id,
        subAccount: "loja-1",
        bucket: "available",
        amount: 2,
        sourceId: charge.id,
        createdAt: new Date(noon).toISOString()
      })
      assert.strictEqual(String(leg?.id).slice(0, 36), leg?.ledgerTransactionId)
      const ofWithdrawal = entries.filter(({ sourceId }) => sourceId === withdrawal.id)
      assert.deepStrictEqual(
        new Set(ofWithdrawal.map(({ kind }) => kind)),
        new Set(["hold", "withdrawal", "fee"])
      )
      const mine = yield* walk(`${path}?subAccount=loja-1`, 1)
      assert.deepStrictEqual(
        mine,
        entries.filter(({ subAccount }) => (subAccount as unknown) === "loja-1")
      )
      const second = new Date(noon + 1_000).toISOString()
      const late = yield* walk(`${path}?from=${second}&to=${second}`, 2)
      assert.isNotEmpty(late)
      assert.deepStrictEqual(
        late,
        entries.filter(({ createdAt }) => createdAt === second)
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("of an account where only deposits came that were not credited are none", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      for (let n = 0; n < 30; n++) yield* story.pay(yield* story.charge(), { amount: 1 })
      const path = `/accounts/${story.shop.id}/entries` as const
      const pages = [yield* get(`${path}?limit=1`)]
      for (let cursor = pages[0]?.nextCursor ?? null; cursor !== null;) {
        const page: (typeof pages)[number] = yield* get(`${path}?limit=1&cursor=${cursor}`)
        pages.push(page)
        cursor = page.nextCursor
      }
      assert.deepStrictEqual(
        pages.flatMap(({ data }) => data),
        []
      )
      assert.isAbove(pages.length, 1)
      yield* story.audit
    }).pipe(Effect.provide(world))
  )
})

describe("the operator's delivery log", () => {
  it.effect("is narrowed to an endpoint, together with status and event", () =>
    Effect.gen(function* () {
      const { story } = yield* busy
      const path = `/accounts/${story.shop.id}/deliveries` as const
      const all = yield* walk(path, 3)
      const endpoints = new Set(all.map(({ endpointId }) => endpointId))
      assert.strictEqual(endpoints.size, 2)
      for (const endpoint of endpoints) {
        const found = yield* walk(`${path}?endpoint=${endpoint}`, 2)
        assert.deepStrictEqual(
          found,
          all.filter(({ endpointId }) => endpointId === endpoint)
        )
        const narrowed = yield* walk(
          `${path}?endpoint=${endpoint}&event=payment_completed&status=delivered`,
          1
        )
        assert.strictEqual(narrowed.length, 2)
      }
      assert.deepStrictEqual(yield* walk(`${path}?endpoint=${random.uuid}`, 1), [])
      const answer = yield* operator("GET", `${path}?endpoint=x`)
      assert.strictEqual(codeOf(answer), "VALIDATION_ERROR")
    }).pipe(Effect.provide(world))
  )
})
