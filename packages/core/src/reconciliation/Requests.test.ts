import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import type { PspCapabilities } from "../ports/Psp.ts"
import { PspOutcome } from "../ports/Psp.ts"
import type { NotFound, Sent } from "./Requests.ts"
import {
  afterPause,
  arrivesBy,
  isRepeatable,
  mayLeave,
  mayStillArrive,
  onNotFound
} from "./Requests.ts"

const sentAt = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const after = (seconds: number) => DateTime.add(sentAt, { seconds })
const capabilities = (idempotentByReference: boolean): PspCapabilities => ({
  idempotentByReference,
  knowsPayer: true,
  notFoundIsFinalAfter: Duration.minutes(10),
  settlementLag: Duration.zero
})
const twice = capabilities(false)

/** 5 s to leave, 15 s to be answered, 10 minutes until "not found" is final. */
const final = 620

describe("a request to a PSP", () => {
  it("leaves within 5 seconds of its intent, or not at all", () => {
    assert.isTrue(mayLeave(sentAt, after(4.999)))
    assert.isFalse(mayLeave(sentAt, after(5)))
  })

  it("may arrive as long as it may leave, be answered and stay unseen", () => {
    assert.deepStrictEqual(arrivesBy(sentAt, twice), after(final))
    assert.isTrue(mayStillArrive(sentAt, { capabilities: twice, askedAt: after(final - 1) }))
    assert.isFalse(mayStillArrive(sentAt, { capabilities: twice, askedAt: after(final) }))
  })

  it("at a PSP of which nothing is known may be answered", () =>
    assert.deepStrictEqual(arrivesBy(sentAt, undefined), after(20)))
})

describe("a request that the PSP does not find", () => {
  const say = (
    seconds: number,
    notFound: Sent["notFound"],
    psp = twice,
    answered = seconds
  ): NotFound =>
    onNotFound(
      { sentAt, firstSentAt: sentAt, notFound },
      { capabilities: psp, askedAt: after(seconds), now: after(answered) }
    )

  it("may be repeated where a repeat is safe, whenever", () => {
    const safe = capabilities(true)
    assert.deepStrictEqual(say(1, undefined, safe), { _tag: "Repeat", isAlone: false })
    assert.deepStrictEqual(say(final, undefined, safe), { _tag: "Repeat", isAlone: true })
  })

  it("may be repeated only while its PSP still knows the first one by then", () => {
    const hour = { ...capabilities(true), repeatableFor: Duration.hours(1) }
    // 5 s to leave, 15 s to be answered.
    assert.deepStrictEqual(say(3_579, undefined, hour), { _tag: "Repeat", isAlone: true })
    for (const seconds of [3_580, 3_600, 86_400]) {
      assert.deepStrictEqual(say(seconds, undefined, hour), { _tag: "TooOld" })
    }
    const first = DateTime.subtract(sentAt, { minutes: 59 })
    assert.deepStrictEqual(
      onNotFound(
        { sentAt, firstSentAt: first, notFound: undefined },
        { capabilities: hour, askedAt: after(45), now: after(45) }
      ),
      { _tag: "TooOld" }
    )
    assert.isFalse(isRepeatable(sentAt, { capabilities: hour, now: after(3_580) }))
    assert.isTrue(isRepeatable(sentAt, { capabilities: capabilities(true), now: after(1e9) }))
  })

  it("was asked for when it was asked for, however late its PSP says so", () => {
    const one = { times: 1, at: after(final) }
    const until = after(final * 1.5)
    const late = final * 3
    assert.deepStrictEqual(say(final - 1, undefined, capabilities(true), late), {
      _tag: "Repeat",
      isAlone: false
    })
    assert.deepStrictEqual(say(final - 1, { times: 2 }, twice, late), {
      _tag: "MayArrive",
      until: after(final)
    })
    assert.deepStrictEqual(say(final * 1.5 - 1, one, twice, late), { _tag: "MayArrive", until })
    // What is sent now reaches the PSP after the answer; and the next look is after this one has ended.
    const hour = { ...capabilities(true), repeatableFor: Duration.hours(1) }
    assert.deepStrictEqual(say(final, undefined, hour, 3_580), { _tag: "TooOld" })
    assert.deepStrictEqual(say(final, undefined, twice, late), {
      _tag: "Counted",
      again: after(final * 3.5)
    })
  })

  it("elsewhere may arrive until that is final", () =>
    assert.deepStrictEqual(say(final - 1, undefined), { _tag: "MayArrive", until: after(final) }))

  it("counts from then on, and has never arrived the third time", () => {
    const again = after(final * 1.5)
    assert.deepStrictEqual(say(final, undefined), { _tag: "Counted", again })
    assert.deepStrictEqual(say(final, { times: 1 }), { _tag: "Counted", again })
    assert.deepStrictEqual(say(final, { times: 2 }), { _tag: "NeverArrived" })
  })

  it("counts after half of that time again, where the time of the last look is kept", () => {
    const one = { times: 1, at: after(final) }
    const until = after(final * 1.5)
    assert.deepStrictEqual(say(final * 1.5 - 1, one), { _tag: "MayArrive", until })
    assert.deepStrictEqual(say(final * 1.5, one), { _tag: "Counted", again: after(final * 2) })
    const two = { times: 2, at: after(final * 1.5) }
    assert.deepStrictEqual(say(final * 2 - 1, two), { _tag: "MayArrive", until: after(final * 2) })
    assert.deepStrictEqual(say(final * 2, two), { _tag: "NeverArrived" })
  })
})

describe("a PSP that takes nothing now", () => {
  const soon = after(10)

  it("is not asked before its pause is over", () => {
    const notNow = PspOutcome.notNow("too many requests", "2 minutes")
    assert.deepStrictEqual(afterPause(soon, notNow, after(5)), after(125))
    assert.deepStrictEqual(afterPause(after(600), notNow, after(5)), after(600))
  })

  it("is asked within the hour, whatever it says", () => {
    const notNow = PspOutcome.notNow("closed for good", "3650 days")
    assert.deepStrictEqual(afterPause(soon, notNow, after(5)), after(3_605))
  })

  it("is not asked sooner than it can tell what became of something", () => {
    const unchecked = PspOutcome.unknown("not checked", "2 minutes")
    assert.deepStrictEqual(afterPause(soon, unchecked, after(5)), after(125))
  })

  it("is the only one that is waited for", () => {
    for (const outcome of [undefined, PspOutcome.unknown("lost"), PspOutcome.notSent("refused")])
      assert.deepStrictEqual(afterPause(soon, outcome, after(5)), soon)
  })
})
