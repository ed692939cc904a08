import { assert, describe, it } from "@effect/vitest"
import type { Tenant, WithId } from "@pagora/testkit"
import { hookUrl, journey, TestPagora } from "@pagora/testkit"
import { Effect } from "effect"
import { Account, AccountKind } from "../../src/accounts/Account.ts"
import type { EndpointId, UnitId, Uuid, WriteId } from "../../src/kernel/Ids.ts"
import * as MergedUnit from "../../src/units/MergedUnit.ts"
import type { PspShape } from "../../src/ports/Psp.ts"
import { StorageDriver } from "../../src/ports/StorageDriver.ts"
import type { Unit } from "../../src/units/Unit.ts"
import { Endpoint, EndpointKind } from "../../src/webhooks/Endpoint.ts"
import { pspThat, world, Written } from "../world/ServiceWorld.test-data.ts"

const change = (shop: Tenant, endpoint: WithId, body: unknown) =>
  Effect.map(shop.call("PATCH", `/webhook-endpoints/${endpoint.id}`, { body }), (answer) => {
    assert.strictEqual(answer.status, 200, answer.text)
    return answer.json
  })

/** Something that happens each time between what a settlement read and what it writes. */
const whenever = (happens: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const psp: PspShape = yield* pspThat({
      findCharge: (id) => Effect.tap(psp.findCharge(id), () => happens)
    })
  })

const accountRow = (id: string) =>
  Effect.gen(function* () {
    const { rows } = yield* StorageDriver
    const [row] = yield* Effect.orDie(rows("registry", [id as Uuid]))
    assert.isDefined(row)
    return row
  })

describe("a payment", () => {
  it.effect("is booked at the first look, however often endpoints change meanwhile", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const endpoint = yield* story.endpoint()
      const charge = yield* story.charge()
      let changes = 0
      yield* whenever(
        Effect.suspend(() =>
          change(story.shop, endpoint, {
            events: ++changes % 2 === 0 ? ["payment_expired"] : ["payment_completed"]
          })
        )
      )
      yield* story.pay(charge)
      assert.strictEqual((yield* story.transaction(charge.id)).status, "completed")
      assert.strictEqual(changes, 1)
      yield* story.drain
      assert.deepStrictEqual(
        (yield* story.events()).map(({ event }) => event),
        ["payment_completed"]
      )
      yield* story.audit
    }).pipe(Effect.provide(world))
  )

  it.effect("is told to an endpoint that was acknowledged before it was booked", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      // The process knows where events go, from before.
      yield* story.expire(yield* story.charge())
      const charge = yield* story.charge()
      let isThere = false
      yield* whenever(
        Effect.suspend(() => {
          if (isThere) return Effect.void
          isThere = true
          return story.endpoint()
        })
      )
      yield* story.pay(charge)
      yield* story.drain
      assert.deepStrictEqual(
        (yield* story.events(hookUrl)).map(({ event }) => event),
        ["payment_completed"]
      )
    }).pipe(Effect.provide(world))
  )
})

describe("the row of an account", () => {
  it.effect("stays as it is, however many endpoints there are and whatever becomes of them", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const { operator } = yield* TestPagora
      const before = yield* accountRow(story.shop.id)
      for (let sub = 0; sub < 60; sub++) {
        const body = { reference: `loja-${sub}`, name: "Loja" }
        const opened = yield* story.shop.call("POST", "/sub-accounts", { body })
        assert.strictEqual(opened.status, 201, opened.text)
        for (let each = 0; each < 10; each++) yield* story.endpoint({ subAccount: body.reference })
      }
      const endpoint = yield* story.endpoint()
      yield* change(story.shop, endpoint, { enabled: false })
      yield* story.removeEndpoint(endpoint)
      assert.deepStrictEqual(yield* accountRow(story.shop.id), before)
      const { json } = yield* operator("GET", `/accounts/${story.shop.id}/webhook-endpoints`)
      assert.strictEqual((json.data as unknown as ReadonlyArray<unknown>).length, 600)
    }).pipe(Effect.provide(world))
  )
})

describe("a change of an endpoint", () => {
  it.effect("that changes nothing writes nothing", () =>
    Effect.gen(function* () {
      const { endpoint: make, shop } = yield* journey()
      const events = ["payment_completed"]
      const endpoint = yield* make({ events })
      const off = yield* change(shop, endpoint, { enabled: false })
      const { units } = yield* Written
      const from = units.length
      assert.deepStrictEqual(yield* change(shop, endpoint, { enabled: false, events }), off)
      assert.deepStrictEqual(yield* change(shop, endpoint, { url: hookUrl }), off)
      assert.deepStrictEqual(yield* change(shop, endpoint, {}), off)
      assert.strictEqual(units.length, from)
    }).pipe(Effect.provide(world))
  )

  it.effect("of its address leaves the routing alone", () =>
    Effect.gen(function* () {
      const { endpoint: make, shop } = yield* journey()
      const endpoint = yield* make()
      const { units } = yield* Written
      const from = units.length
      yield* change(shop, endpoint, { url: "https://other.example.com/hook" })
      assert.deepStrictEqual(
        units.slice(from).flatMap(({ updates }) => updates.map(({ row }) => row.kind)),
        ["endpoint"]
      )
    }).pipe(Effect.provide(world))
  )
})

/** An endpoint as the version before wrote it: its route in the row of the account. */
const fromBefore = Effect.fnUntraced(function* (shop: Tenant) {
  const { write } = yield* StorageDriver
  const { value: account, version: expected } = AccountKind.read(yield* accountRow(shop.id))
  const id = "019a2b3c-0000-7000-8000-00000000beef" as EndpointId
  const events = ["payment_completed"]
  const at = account.createdAt
  const routes = [{ endpoint: id, wallet: account.id, events, enabled: true }]
  const endpoint = new Endpoint({
    id,
    account: account.id,
    wallet: account.id,
    url: hookUrl,
    sealedSecret: "v1.00000000.AAAA",
    enabled: true,
    createdAt: at
  })
  const unit: Unit = {
    id: "019a2b3c-0000-7000-8000-00000000aaaa" as UnitId,
    at,
    inserts: [EndpointKind.row(endpoint)],
    updates: [{ row: AccountKind.row(new Account({ ...account, routes })), expected }]
  }
  assert.isNull(yield* Effect.orDie(write(MergedUnit.merge([unit], unit.id as Uuid as WriteId))))
  return { id }
})

describe("routes that stand in the row of an account, from the version before,", () => {
  const listed = (shop: Tenant) =>
    Effect.map(shop.call("GET", "/webhook-endpoints"), ({ json }) => json.data.map(({ id }) => id))

  it.effect("go on, for sub-accounts without endpoints of their own too", () =>
    Effect.gen(function* () {
      const story = yield* journey({ subAccountAccess: true })
      const endpoint = yield* fromBefore(story.shop)
      const body = { reference: "loja-1", name: "Loja" }
      yield* story.shop.call("POST", "/sub-accounts", { body })
      for (const headers of [{}, { "x-sub-account": body.reference }]) {
        const charge = yield* story.shop.call("POST", "/pix", { body: { amount: 10 }, headers })
        assert.strictEqual(charge.status, 201, charge.text)
        yield* story.pay(charge.json)
        yield* story.expire(yield* story.charge())
      }
      const told = yield* story.deliveries
      assert.deepStrictEqual(
        told.map(({ endpointId, event }) => [endpointId, event]),
        [
          [endpoint.id, "payment_completed"],
          [endpoint.id, "payment_completed"]
        ]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("are listed, changed and removed like others, and leave the account's row", () =>
    Effect.gen(function* () {
      const story = yield* journey()
      const endpoint = yield* fromBefore(story.shop)
      assert.deepStrictEqual(yield* listed(story.shop), [endpoint.id])
      yield* change(story.shop, endpoint, { events: ["payment_expired"] })
      const made = yield* story.endpoint()
      assert.deepStrictEqual(AccountKind.read(yield* accountRow(story.shop.id)).value.routes, [])
      yield* story.pay(yield* story.charge())
      yield* story.removeEndpoint(endpoint)
      yield* story.expire(yield* story.charge())
      assert.deepStrictEqual(
        (yield* story.deliveries).map(({ endpointId }) => endpointId),
        [made.id, made.id]
      )
      assert.deepStrictEqual(yield* listed(story.shop), [made.id])
    }).pipe(Effect.provide(world))
  )
})
