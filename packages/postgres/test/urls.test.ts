import { assert, describe, it } from "@effect/vitest"
import { Pagora, PagoraError } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { postgres } from "@pagora/postgres"
import { freshDatabase } from "@pagora/testkit/postgres"
import { Cause } from "effect"
import { inspect } from "node:util"
import { isReadable } from "../src/ConnectionUrl.ts"

const secret = "a master secret that is long enough for every test"
const password = "hunter2-of-the-shop"

const refusalOf = async (options: Parameters<typeof postgres>[0]): Promise<PagoraError> => {
  const storage = postgres(options)
  const error: unknown = await Pagora.start({
    storage,
    psp: sandbox(),
    secret,
    logger: false
  }).catch((thrown: unknown) => thrown)
  assert.instanceOf(error, PagoraError)
  return error
}

/** Every way in which an error comes to a log. */
const printed = (error: PagoraError): string =>
  [
    error.message,
    error.stack,
    JSON.stringify(error),
    JSON.stringify(error.cause),
    inspect(error, { depth: null, showHidden: true }),
    Cause.pretty(Cause.fail(error))
  ].join("\n")

const tellsNothing = (error: PagoraError, hidden: string = password): void =>
  assert.notInclude(printed(error), hidden)

/** By what is wrong with them. */
const unreadable = {
  "a space in the host": `postgres://shop:${password}@no host/pix`,
  "a port that is none": `postgres://shop:${password}@db.example:port/pix`,
  "port 0": `postgres://shop:${password}@db.example:0/pix`,
  "no scheme": `shop:${password}@db.example/pix`,
  "another scheme": `mysql://shop:${password}@db.example/pix`,
  "a percent sign in the password": `postgres://shop:${password}%@db.example/pix`,
  "a slash in the password": `postgres://shop:1/${password}@db.example/pix`,
  "a hash in the password": `postgres://shop:1#${password}@db.example/pix`,
  "a question mark in the password": `postgres://shop:1?${password}@db.example/pix`,
  "an sslmode that is none": `postgres://shop:${password}@db.example/pix?sslmode=${password}`,
  "a timeout that is none": `postgres://shop:${password}@db.example/pix?connect_timeout=${password}`,
  "a port parameter that is none": `postgres://shop:${password}@db.example/pix?port=${password}`
}

describe("a URL of PostgreSQL", () => {
  for (const [what, url] of Object.entries(unreadable))
    it(`with ${what} is refused at once, in one sentence that tells nothing of it`, async () => {
      const begun = performance.now()
      const error = await refusalOf({ url, startTimeout: 2_000 })
      assert.isBelow(performance.now() - begun, 3_000)
      assert.strictEqual(
        error.message,
        "postgres() cannot read its url: give it one such as postgres://user:password@host:5432/database, with percent signs for what a URL cannot hold."
      )
      tellsNothing(error)
      assert.notInclude(printed(error), "db.example")
    })

  it("that leads nowhere is refused without its password", async () => {
    for (const host of ["127.0.0.1:1", "nowhere.invalid:5432"]) {
      const error = await refusalOf({
        url: `postgres://shop:${password}@${host}/pix`,
        startTimeout: 0
      })
      assert.match(error.message, /^PostgreSQL cannot be reached: /)
      tellsNothing(error)
    }
  })

  it("whose user is not let in is refused without its password", async () => {
    const database = await freshDatabase()
    try {
      const url = new URL(database.url)
      url.username = "nobody_of_this_name"
      url.password = password
      tellsNothing(await refusalOf({ url: url.href, startTimeout: 0 }))
    } finally {
      await database.drop()
    }
  })
})

it("a URL of PostgreSQL may leave out what the driver knows by itself, and name a socket or settings", () => {
  for (const url of [
    "postgres://",
    "postgres:///pix?host=/var/run/postgresql&user=shop",
    "postgresql://shop:p%40ss%25@[::1]:6543/pix?sslmode=require&connect_timeout=3",
    "postgres://shop@%2Fvar%2Frun%2Fpostgresql/pix",
    "postgres://db.example/pix?user=shop@tenant&options=-c%20geqo%3Doff"
  ])
    assert.isTrue(isReadable(url), url)
})
