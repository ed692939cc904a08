import { setTimeout as sleep } from "node:timers/promises"
import type { CutDialogue, CutPoint } from "../postgres/index.ts"
import { freshDatabase } from "../postgres/index.ts"
import type { CrashReport, Scenario, ScenarioOptions } from "./CrashReport.ts"
import type { CrashWorld } from "./CrashWorld.ts"
import { openWorld } from "./CrashWorld.ts"
import type { Slot } from "./Slot.ts"

/** A write whose dialogue with the database is cut: which request leads to it, and which of that request's writes it is. */
interface Target {
  readonly name: string
  readonly nth: number
  /** Asks with words that only the writes have. Answers what the caller heard first. */
  readonly ask: (world: CrashWorld, slot: Slot, marker: string) => Promise<string>
}

const settleMillis = 300

const charge: Target["ask"] = async (world, slot, description) =>
  (await world.ordersAt(slot).charge({ description })).first

const targets: ReadonlyArray<Target> = [
  { name: "the intent of a charge", nth: 0, ask: charge },
  { name: "what the PSP answered to a charge", nth: 1, ask: charge },
  {
    name: "a withdrawal",
    nth: 0,
    ask: async (world, slot, holderName) =>
      (await world.ordersAt(slot).withdraw({ holderName })).first
  },
  {
    name: "a refund",
    nth: 0,
    ask: async (world, slot, reason) => {
      const { amount, id } = await world.ordersAt(slot).charge()
      if (id === undefined || (await world.bank.pay(id)) !== "200") return "no payment"
      // Until it is settled there is nothing to refund.
      await sleep(settleMillis)
      return (await world.ordersAt(slot).refund(id, amount, { reason })).first
    }
  }
]

/** Cuts a dialogue there, and answers what became of it and what its caller heard. */
const cut = async (
  world: CrashWorld,
  target: Target,
  point: Pick<CutPoint, "side" | "bytes">,
  place: string
): Promise<{ readonly dialogue: CutDialogue | undefined; readonly first: string }> => {
  const [slot] = world.slots as [Slot]
  // Of one length, since it is part of what is counted.
  const marker = `cut-${place.padEnd(20, "-")}-${String(world.chance.below(1e9)).padStart(9, "0")}`
  let dialogue: CutDialogue | undefined
  void slot.proxy.cutAt({ ...point, marker, nth: target.nth }).then((ended) => {
    dialogue = ended
  })
  const since = performance.now()
  const first = await target.ask(world, slot, marker)
  world.noteRecovery(performance.now() - since)
  return { dialogue, first }
}

const mostTries = 5

/** Cuts a dialogue there. It is asked for anew if it was over before, or refused and never begun: a slow payment, shorter texts. */
const cutThere = async (
  world: CrashWorld,
  target: Target,
  point: Pick<CutPoint, "side" | "bytes">,
  place: string
): Promise<{ readonly isCut: boolean; readonly first: string; readonly tries: number }> => {
  for (let tries = 1; ; tries++) {
    const { dialogue, first } = await cut(world, target, point, `${place}t${tries}`)
    const isCut = dialogue?.isCut === true
    if (isCut || tries === mostTries) return { isCut, first, tries }
  }
}

/** Places from 0 to a length, all of them or so many that are as far from each other. */
const placesUpTo = (length: number, most: number): ReadonlyArray<number> => {
  const all = length + 1
  const count = Math.min(all, Math.max(2, most))
  return Array.from({ length: count }, (_, index) =>
    Math.round((index * (all - 1)) / Math.max(1, count - 1))
  )
}

/** All places of the answer, and as many of the question as the count allows, from the first to the last. */
const pointsOf = (
  { answered, asked }: CutDialogue,
  count: number
): ReadonlyArray<Pick<CutPoint, "side" | "bytes">> => {
  const answers = placesUpTo(answered, Math.max(2, Math.floor(count / 3)))
  const questions = placesUpTo(asked, count - answers.length)
  return [
    ...questions.map((bytes) => ({ side: "question" as const, bytes })),
    ...answers.map((bytes) => ({ side: "answer" as const, bytes }))
  ]
}

const checkEvery = 25
const samples = 5
const uncut = { side: "question", bytes: Number.MAX_SAFE_INTEGER } as const

/** A dialogue to its end. On a new connection it is longer, because the statement is prepared there. */
const wholeOf = async (
  world: CrashWorld,
  target: Target,
  index: number
): Promise<CutDialogue | undefined> => {
  const seen: Array<CutDialogue> = []
  for (let sample = 0; sample < samples; sample++) {
    const { dialogue } = await cut(world, target, uncut, `${index}u${sample}`)
    if (dialogue !== undefined) seen.push(dialogue)
  }
  return seen.sort((one, other) => one.asked - other.asked)[0]
}

const cutAll = async (
  world: CrashWorld,
  { count, progress }: ScenarioOptions
): Promise<CrashReport> => {
  const figures: Record<string, number | string> = {}
  const note = (name: string) => {
    figures[name] = Number(figures[name] ?? 0) + 1
  }
  let cuts = 0
  for (const [index, target] of targets.entries()) {
    const whole = await wholeOf(world, target, index)
    if (whole === undefined) {
      world.violations.push(`${target.name} has no dialogue that could be cut`)
      continue
    }
    figures[`${target.name}: bytes of question and answer`] = `${whole.asked} and ${whole.answered}`
    for (const point of pointsOf(whole, Math.ceil(count / targets.length))) {
      const place = `${index}-${point.side}${point.bytes}`
      const { first, isCut, tries } = await cutThere(world, target, point, place)
      if (isCut) cuts++
      note(isCut ? `cut in the ${point.side}` : "never got as far as its cut")
      if (tries > 1) note("was over before its cut, and asked for anew")
      note(`cut, and the caller first heard ${first}`)
      if (cuts % checkEvery === 0)
        await world.check(`${target.name} cut at ${JSON.stringify(point)}`)
      if (cuts % 100 === 0) progress(`${cuts} cuts, violations ${world.violations.length}`)
    }
  }
  const report = await world.finish(cuts)
  return { ...report, figures: { ...figures, ...report.figures } }
}

/** Cuts the connection at the bytes of a write's dialogue with the database, one after the other, both ways. */
export const cuts: Scenario = {
  name: "cuts",
  does: "the connection is cut at every byte of the dialogue of a commit, both ways",
  count: 500,
  run: async (options) => {
    const database = await freshDatabase()
    const world = await openWorld({
      ...options,
      processes: 1,
      clients: 0,
      url: database.url
    }).catch(async (error: unknown) => {
      await database.drop()
      throw error
    })
    try {
      return await cutAll(world, options)
    } finally {
      await world.close()
      await database.drop()
    }
  }
}
