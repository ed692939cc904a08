import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { AccountId, EndpointId, SubAccountId } from "../kernel/Ids.ts"
import type { Route } from "./Account.ts"
import { Account } from "./Account.ts"
import { endpointsFor } from "./Routing.ts"

const main = "00000000-0000-7000-8000-000000000001" as AccountId
const sub = "00000000-0000-7000-8000-000000000002" as SubAccountId
const endpoint = (n: number) => `00000000-0000-7000-8000-0000000000${n}` as EndpointId
const now = DateTime.makeUnsafe(0)

const account = (...routes: ReadonlyArray<Route>) =>
  new Account({
    id: main,
    name: "Loja",
    status: "approved",
    fees: {},
    policy: { blockCnpjPayers: false, onUnknownPayer: "accept" },
    limits: {},
    routes,
    createdAt: now,
    updatedAt: now
  })

const ofMain: Route = { endpoint: endpoint(10), wallet: main, enabled: true }
const ofSub: Route = { endpoint: endpoint(20), wallet: sub, enabled: true }

describe("endpointsFor", () => {
  it("sends a sub-account's events to the main account's endpoints while it has none of its own", () => {
    assert.deepStrictEqual(endpointsFor(account(ofMain), sub, "payment_completed"), [endpoint(10)])
  })

  it("sends a sub-account's events to its own endpoints only, once it has any", () => {
    assert.deepStrictEqual(endpointsFor(account(ofMain, ofSub), sub, "payment_completed"), [
      endpoint(20)
    ])
    assert.deepStrictEqual(endpointsFor(account(ofMain, ofSub), main, "payment_completed"), [
      endpoint(10)
    ])
  })

  it("does not fall back when the sub-account's own endpoint is disabled", () => {
    const disabled = { ...ofSub, enabled: false }
    assert.deepStrictEqual(endpointsFor(account(ofMain, disabled), sub, "payment_completed"), [])
  })

  it("leaves out endpoints that did not ask for this kind of event", () => {
    const picky = { ...ofMain, endpoint: endpoint(11), events: ["payment_expired"] }
    assert.deepStrictEqual(endpointsFor(account(ofMain, picky), main, "payment_completed"), [
      endpoint(10)
    ])
    assert.deepStrictEqual(endpointsFor(account(ofMain, picky), main, "payment_expired"), [
      endpoint(10),
      endpoint(11)
    ])
  })
})
