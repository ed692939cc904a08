import { assert, describe, it } from "@effect/vitest"
import type { Journey } from "@pagora/testkit"
import { expecting } from "@pagora/testkit"
import type { PoolerOptions } from "@pagora/testkit/postgres"
import { execute, startTransactionPooler } from "@pagora/testkit/postgres"
import { Effect } from "effect"
import type { PostgresOptions } from "../src/index.ts"
import { postgres } from "../src/index.ts"
import { closeOrCredit } from "./Closing.test-data.ts"
import { aDatabase } from "./FreshDatabase.test-data.ts"
import { driverOf, inBoth, processOver, quietly } from "./Processes.test-data.ts"

/** A database whose defaults are wrong, and a pooler before it. */
const pooled = Effect.fnUntraced(function* (options: PoolerOptions = {}) {
  const { url } = yield* aDatabase
  const name = new URL(url).pathname.slice(1)
  yield* Effect.promise(() =>
    execute(url, `alter database ${name} set default_transaction_isolation = 'repeatable read'`)
  )
  const pooler = yield* Effect.acquireRelease(
    Effect.promise(() => startTransactionPooler(url, options)),
    ({ close }) => Effect.promise(close)
  )
  return { url, pooler }
})

/** What a start that should be refused says. */
const refusal = (options: PostgresOptions) =>
  Effect.match(driverOf(options), { onFailure: String, onSuccess: () => "It started." })

/** The statements that the sentence of a refused start tells. */
const statementsIn = (sentence: string) => sentence.match(/alter role [^;]+/g) ?? []

describe("a pooler that hands sessions over", () => {
  it.live(
    "takes no settings: the start is refused, and says what to do",
    () =>
      Effect.gen(function* () {
        const { pooler } = yield* pooled()
        const told = yield* refusal({ url: pooler.url, startTimeout: 0 })
        assert.match(told, /pooler .*prepare: false \(PAGORA_DB_PREPARE=false\)/)
      }).pipe(quietly),
    60_000
  )

  it.live(
    "drops settings without a word: the start is refused, and says what to do",
    () =>
      Effect.gen(function* () {
        const { pooler } = yield* pooled({ settings: "drop" })
        const told = yield* refusal({ url: pooler.url, startTimeout: 0 })
        assert.match(
          told,
          /default_transaction_isolation is repeatable read instead of read committed/
        )
      }).pipe(quietly),
    60_000
  )

  it.live(
    "has them from the role, and then two services write, read and claim by shared sessions",
    () =>
      Effect.gen(function* () {
        const { pooler, url } = yield* pooled()
        const options = { url: pooler.url, prepare: false, poolMax: 4, startTimeout: 0 }
        const told = yield* refusal(options)
        const statements = statementsIn(told)
        assert.lengthOf(statements, 8, told)
        for (const statement of statements) yield* Effect.promise(() => execute(url, statement))
        pooler.reconnect()
        yield* closeOrCredit(yield* driverOf(options), yield* driverOf(options))
        const service = processOver(postgres(options))
        const stories = yield* inBoth(yield* service, yield* service)
        const [one, other] = stories
        yield* one.endpoint()
        yield* Effect.flatMap(one.adjust({ amount: 100, reason: "a start" }), expecting(201))
        yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => index),
          Effect.fnUntraced(function* (index) {
            const story = stories[index % 2] as Journey
            yield* story.pay(yield* story.charge({ amount: 10 }))
            yield* story.withdraw({ amount: 1 })
          }),
          { concurrency: 6 }
        )
        yield* Effect.all([one.drain, other.drain], { concurrency: "unbounded" })
        const { available, held } = yield* one.figures
        assert.strictEqual(available + held, 10_000 + 12 * 1_000)
        yield* one.audit
        assert.strictEqual(pooler.namedStatements(), 0)
      }).pipe(quietly),
    180_000
  )
})
