import type { RawNotification } from "@pagora/core"
import { Duration, Effect } from "effect"
import { chanceOf } from "../src/fuzz/Chance.ts"
import type { BankOptions } from "../src/simulation/banks/index.ts"
import { makeBank } from "../src/simulation/banks/index.ts"
import type { Caller, World } from "../src/simulation/World.ts"

/** A world of its own, in which nothing but the bank happens. */
const aWorld = (seed = 1) => {
  const agenda: Array<{ readonly at: number; readonly happen: () => void }> = []
  const streams = new Map<string, ReturnType<typeof chanceOf>>()
  const notes: Array<string> = []
  const cells = new Set<string>()
  let now = 1_795_000_000_000
  const state = { isFaulty: true }
  const world: World = {
    now: () => now,
    after: (delay, happen) => {
      const at = now + Duration.toMillis(Duration.fromInputUnsafe(delay))
      const place = agenda.findLastIndex((one) => one.at <= at) + 1
      agenda.splice(place, 0, { at, happen })
    },
    chance: (purpose) => {
      const place = [...purpose].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) >>> 0
      const stream = streams.get(purpose) ?? chanceOf(seed, place)
      streams.set(purpose, stream)
      return stream
    },
    note: (line) => notes.push(`${now} ${line}`),
    reached: (cell) => cells.add(cell),
    isFaulty: () => state.isFaulty
  }
  /** Lets so many milliseconds pass, or less where that is enough. */
  const pass = (millis: number, isEnough: () => boolean = () => false): void => {
    const end = now + millis
    for (let next = agenda[0]; next !== undefined && next.at <= end; next = agenda[0]) {
      agenda.shift()
      now = next.at
      next.happen()
      if (isEnough()) return
    }
    now = end
  }
  return { world, state, notes, cells, pass }
}

export const noReply = new Error("There is no reply.")

/** A process that waits for 15 seconds. */
const aCaller = ({ pass }: Pick<ReturnType<typeof aWorld>, "pass">): Caller => ({
  name: "process",
  exchange: <A>(ask: (reply: (answer: A) => void) => void) =>
    Effect.suspend(() => {
      const answers: Array<A> = []
      ask((answer) => answers.push(answer))
      pass(15_000, () => answers.length > 0)
      return answers.length === 0 ? Effect.die(noReply) : Effect.succeed(answers[0] as A)
    })
})

/** A bank with nobody else in its world. */
export const aBank = (options: Partial<BankOptions> & { readonly seed?: number } = {}) => {
  const it = aWorld(options.seed)
  const received: Array<RawNotification> = []
  const inbox = { isTaking: true }
  const bank = makeBank(it.world, {
    name: "A",
    notify: (notification, answered) => {
      received.push(notification)
      answered(inbox.isTaking)
    },
    ...options
  })
  /** The quiet end. */
  const end = (millis = 3_600_000): void => {
    it.state.isFaulty = false
    bank.calm()
    it.pass(millis)
  }
  return { ...it, bank, psp: bank.psp(aCaller(it)), received, inbox, end }
}
