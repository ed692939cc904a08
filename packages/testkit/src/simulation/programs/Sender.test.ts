import { assert, describe, it } from "@effect/vitest"
import { Engine } from "../Engine.ts"
import { Acknowledged } from "./Acknowledged.ts"
import type { Answered } from "./Door.ts"
import { Memory } from "./Memory.ts"
import { Sender } from "./Sender.ts"

const told = (status: number, json: object, retryAfter?: string): Answered => ({
  status,
  headers: (name) => (name === "retry-after" ? retryAfter : undefined),
  text: JSON.stringify(json),
  json
})

const paused = (seconds: string): Answered =>
  told(500, { details: { code: "PSP_UNAVAILABLE" } }, seconds)

/** A client who cancels a charge, and what he is answered in turn; the last for ever. */
const cancelling = (answers: ReadonlyArray<Answered>) => {
  const world = new Engine(1)
  const asked: Array<number> = []
  const record = new Acknowledged(world, new Memory([]))
  const sender = new Sender({
    world,
    door: {
      call: (_process, _caller, _request, answered) => {
        answered(answers[Math.min(asked.push(world.now()), answers.length) - 1] as Answered)
      }
    },
    processes: 2,
    operatorKey: "key",
    record
  })
  const begun = world.now()
  const sent = sender.send(
    {
      name: "cancel",
      operation: 1,
      shop: -1,
      wallet: "principal",
      as: "operator",
      process: 0,
      method: "POST",
      path: "/pix/1/cancel",
      key: "cancel-of-order-7"
    },
    () => undefined
  )
  return { asked, begun, sender, sent, world }
}

describe("a client", () => {
  it("comes back no sooner than it is told, and then goes on", async () => {
    const { asked, begun, sender, sent, world } = cancelling([paused("40"), told(200, {})])
    const wakesAt = sender.wakesAt()
    assert.isAtLeast(wakesAt, begun + 40_000)
    await world.run(() => sent.outcome !== "open")
    assert.deepStrictEqual(asked, [begun, wakesAt])
    assert.strictEqual(sent.outcome, "done")
  })

  it("does other things meanwhile where it is told to wait for long", async () => {
    const { asked, begun, sender, sent, world } = cancelling([paused("900"), told(200, {})])
    let isIdle = false
    sender.whenIdle(() => {
      isIdle = true
    })
    assert.isTrue(isIdle)
    world.calm()
    sender.resume()
    await world.run(() => sent.outcome !== "open")
    assert.strictEqual(asked.length, 2)
    assert.isAtLeast(asked[1] ?? 0, begun + 900_000)
    assert.strictEqual(sent.outcome, "done")
  })
})
