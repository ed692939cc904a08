import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { AccountId, DeliveryId, EndpointId, Uuid } from "../kernel/Ids.ts"
import { idsAt } from "../kernel/Ids.ts"
import { Endpoint } from "./Endpoint.ts"
import type { Trial } from "./EndpointHealth.ts"
import {
  afterBatch,
  afterTry,
  brokenOff,
  isRecoveryOver,
  movedTo,
  recovering,
  switchedOff,
  switchedOn
} from "./EndpointHealth.ts"

const day = 86_400_000
const at = (millis: number) => DateTime.makeUnsafe(millis)
const delivery = (number: number) => `00000000-0000-7000-8000-00000000000${number}` as DeliveryId
const account = "00000000-0000-7000-8000-00000000000a" as AccountId

const well = new Endpoint({
  id: "00000000-0000-7000-8000-00000000000e" as EndpointId,
  account,
  wallet: account,
  url: "https://shop.example.com/",
  sealedSecret: "sealed",
  enabled: true,
  createdAt: at(0)
})

const tried = (endpoint: Endpoint, trial: Trial, options: { nth?: number; millis?: number } = {}) =>
  afterTry(endpoint, { delivery: delivery(options.nth ?? 1), trial, now: at(options.millis ?? 0) })

describe("an endpoint", () => {
  it("that takes everything stays the same object", () => {
    assert.strictEqual(tried(well, "Delivered"), well)
    const failing = tried(well, "Exhausted")
    assert.strictEqual(tried(failing, "Retry", { nth: 2, millis: 5 }), failing)
    assert.strictEqual(tried(failing, "Exhausted", { nth: 2, millis: 5 }), failing)
  })

  it("that fails and then takes one without having missed any has nothing to recover", () => {
    const failing = tried(well, "Retry", { millis: 7 })
    assert.deepStrictEqual(failing.failingSince, at(7))
    assert.deepStrictEqual(tried(failing, "Delivered"), well)
  })

  it("that missed some recovers from the oldest on, whatever the order in which they were given up", () => {
    const missing = [3, 2, 4].reduce((now, nth) => tried(now, "Exhausted", { nth }), well)
    assert.strictEqual(missing.missed, delivery(2))
    const back = tried(missing, "Delivered", { nth: 5, millis: 9 })
    const recovery = { first: delivery(2), last: idsAt(at(9)).last, isAsked: false }
    assert.deepStrictEqual(back, new Endpoint({ ...well, recovery }))
  })

  it("recovers what was made before the clock was set back, up to what it took", () => {
    const missing = tried(well, "Exhausted", { nth: 2, millis: 9 })
    const ahead = "00000000-0009-7000-8000-000000000009" as DeliveryId
    const back = afterTry(missing, { delivery: ahead, trial: "Delivered", now: at(0) })
    assert.strictEqual(back.recovery?.last, ahead as Uuid)
    const later = new Endpoint({ ...well, missed: ahead })
    assert.strictEqual(tried(later, "Delivered").recovery?.last, ahead as Uuid)
  })

  it("is switched off by the first failure after five days, and by no success", () => {
    const failing = tried(well, "Retry")
    assert.isTrue(tried(failing, "Retry", { millis: 5 * day - 1 }).enabled)
    const off = tried(failing, "Retry", { millis: 5 * day })
    assert.isFalse(off.enabled)
    assert.deepStrictEqual(off.disabled, { reason: "failing", at: at(5 * day) })
    assert.isTrue(tried(failing, "Delivered", { millis: 6 * day }).enabled)
  })

  it("is switched off by 410 at once, and keeps its first reason", () => {
    const gone = tried(well, "Gone", { millis: 3 })
    assert.deepStrictEqual(gone.disabled, { reason: "gone", at: at(3) })
    assert.strictEqual(gone.missed, delivery(1))
    assert.deepStrictEqual(tried(gone, "Gone", { nth: 2, millis: 4 }).disabled, gone.disabled)
    assert.strictEqual(tried(gone, "Delivered", { nth: 2 }), gone)
  })

  it("that is switched on has no past but what it missed", () => {
    const off = tried(tried(well, "Gone"), "Parked", { nth: 2 })
    const on = switchedOn(off, at(6 * day))
    assert.isUndefined(on.disabled)
    assert.isUndefined(on.failingSince)
    assert.strictEqual(on.recovery?.first, delivery(1))
    assert.isTrue(tried(on, "Retry", { millis: 6 * day }).enabled)
    assert.strictEqual(switchedOn(on, at(7 * day)), on)
    assert.deepStrictEqual(switchedOn(switchedOff(well, at(1)), at(2)), well)
  })

  it("at another address has not failed yet", () => {
    const failing = tried(well, "Retry")
    assert.isUndefined(movedTo(failing, "https://other.example.com/").failingSince)
    assert.strictEqual(movedTo(failing, failing.url), failing)
  })
})

describe("a recovery", () => {
  const asked = { first: delivery(2), last: delivery(5), isAsked: true }
  const own = { first: delivery(3), last: delivery(7), isAsked: false }

  it("takes another one in", () => {
    const both = { first: delivery(2), last: delivery(7), isAsked: true }
    assert.deepStrictEqual(recovering(recovering(well, own), asked).recovery, both)
    assert.deepStrictEqual(recovering(recovering(well, asked), own).recovery, both)
  })

  it("ends where nothing is sent, and at a failure unless it was asked for", () => {
    const failing = tried(well, "Retry")
    assert.isFalse(isRecoveryOver(recovering(well, own)))
    assert.isTrue(isRecoveryOver(recovering(failing, own)))
    assert.isFalse(isRecoveryOver(recovering(failing, asked)))
    assert.isTrue(isRecoveryOver(switchedOff(recovering(well, asked), at(1))))
  })

  it("goes on behind what was sent, and is taken up there when it was broken off", () => {
    const further = afterBatch(recovering(well, own), delivery(4))
    assert.strictEqual(further.recovery?.first, delivery(4) as Uuid)
    assert.deepStrictEqual(brokenOff(further), new Endpoint({ ...well, missed: delivery(4) }))
    assert.deepStrictEqual(afterBatch(further, undefined), well)
  })
})
