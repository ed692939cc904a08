import type { Centavos, PspBalance, PspOutcome, PspShape } from "@pagora/core"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { makeCoverWatch } from "../src/wire/WireCover.ts"

type Asked = Parameters<PspShape["sendPayout"]>[0]

const centavos = (amount: number) => BigInt(amount) as Centavos

/** A PSP of one process that is told this, and whose payouts come to that. */
const watched = (told: PspOutcome<PspBalance>, sent: PspOutcome<never>) => {
  const { complaints, watch } = makeCoverWatch()
  const psp = {
    balance: () => Effect.succeed(told),
    sendPayout: () => Effect.succeed(sent)
  } as Partial<PspShape> as PspShape
  const door = watch(psp)
  return {
    complaints,
    ask: () => Effect.runSync(door.balance?.() ?? Effect.void),
    send: (reference: string, amount: number, more: Partial<Asked> = {}) =>
      Effect.runSync(
        door.sendPayout({ reference, amount: centavos(amount), ...more } as Partial<Asked> as Asked)
      )
  }
}

const unknown: PspOutcome<never> = { _tag: "Unknown", detail: "" }
const holds = (amount: number): PspOutcome<PspBalance> => ({
  _tag: "Done",
  value: { available: centavos(amount), blocked: centavos(0) }
})

describe("whoever watches that payouts are covered", () => {
  it("says nothing where each leaves on money of its own", () => {
    const { ask, complaints, send } = watched(holds(100), unknown)
    ask()
    send("a", 60)
    send("b", 40)
    assert.isEmpty(complaints)
  })

  it("finds two that leave on the same money", () => {
    const { ask, complaints, send } = watched(holds(100), unknown)
    ask()
    send("a", 60)
    send("b", 60)
    assert.match(complaints.join(), /^payout b over 60 is sent, and 100 was told/)
  })

  it("finds one of which nobody has asked", () => {
    const { complaints, send } = watched(holds(100), unknown)
    send("a", 60)
    assert.match(complaints.join(), /nobody has asked/)
  })

  it("lets go out again what left once, and everything where nothing was told", () => {
    const short = watched(holds(10), unknown)
    short.ask()
    short.send("a", 60, { isRepeat: true })
    const untold = watched(unknown, unknown)
    untold.ask()
    untold.send("a", 60)
    assert.isEmpty([...short.complaints, ...untold.complaints])
  })

  it("counts nothing twice that goes out again", () => {
    const { ask, complaints, send } = watched(holds(100), unknown)
    send("a", 60, { isRepeat: true })
    ask()
    send("a", 60)
    send("a", 60, { isRepeat: true })
    send("b", 40)
    assert.isEmpty(complaints)
  })

  it("gives money back that the bank has certainly not taken", () => {
    const { ask, complaints, send } = watched(holds(100), { _tag: "NotSent", detail: "" })
    ask()
    send("a", 60)
    send("b", 60)
    assert.isEmpty(complaints)
  })
})
