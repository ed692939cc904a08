import { assert, describe, it } from "@effect/vitest"
import type { AccountId, EndpointId, SubAccountId } from "../kernel/Ids.ts"
import type { Route } from "./RoutingTable.ts"
import { endpointsFor, RoutingTable, tableIdOf } from "./RoutingTable.ts"

const main = "00000000-0000-7000-8000-000000000001" as AccountId
const sub = "00000000-0000-7000-8000-000000000002" as SubAccountId
const endpoint = (n: number) => `00000000-0000-7000-8000-0000000000${n}` as EndpointId

const inMain = (...routes: ReadonlyArray<Route>) =>
  new RoutingTable({ account: main, wallet: main, routes })
const inSub = (...routes: ReadonlyArray<Route>) =>
  new RoutingTable({ account: main, wallet: sub, routes })

const ofMain: Route = { endpoint: endpoint(10), wallet: main, enabled: true }
const ofSub: Route = { endpoint: endpoint(20), wallet: sub, enabled: true }

describe("endpointsFor", () => {
  it("sends a sub-account's events to the main account's endpoints while it has none of its own", () => {
    assert.deepStrictEqual(endpointsFor(inSub(), inMain(ofMain), "payment_completed"), [
      endpoint(10)
    ])
  })

  it("sends a sub-account's events to its own endpoints only, once it has any", () => {
    assert.deepStrictEqual(endpointsFor(inSub(ofSub), inMain(ofMain), "payment_completed"), [
      endpoint(20)
    ])
    assert.deepStrictEqual(endpointsFor(inMain(ofMain), inMain(ofMain), "payment_completed"), [
      endpoint(10)
    ])
  })

  it("does not fall back when the sub-account's own endpoint is disabled", () => {
    const disabled = { ...ofSub, enabled: false }
    assert.deepStrictEqual(endpointsFor(inSub(disabled), inMain(ofMain), "payment_completed"), [])
  })

  it("leaves out endpoints that did not ask for this kind of event", () => {
    const picky = { ...ofMain, endpoint: endpoint(11), events: ["payment_expired"] }
    assert.deepStrictEqual(
      endpointsFor(inMain(ofMain, picky), inMain(ofMain, picky), "payment_completed"),
      [endpoint(10)]
    )
    assert.deepStrictEqual(
      endpointsFor(inMain(ofMain, picky), inMain(ofMain, picky), "payment_expired"),
      [endpoint(10), endpoint(11)]
    )
  })
})

describe("the row of a table", () => {
  it("has an id of its own that follows from the wallet's", () => {
    assert.strictEqual(tableIdOf(sub), "00000000-0000-8000-8000-000000000002")
  })
})
