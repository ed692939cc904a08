import type { PspShape } from "@pagora/core"
import { present } from "@pagora/core"
import type { BankClock, NewCallback } from "@pagora/fake-bank"
import type {
  BankMaker,
  BankMethod,
  BankRecords,
  Caller,
  NoticeFate,
  World
} from "@pagora/testkit/simulation"
import { makeAgenda, makePost, makeRecords } from "@pagora/testkit/simulation"
import { Effect } from "effect"
import { bacenFar } from "./WireBacen.ts"
import { makeCoverWatch } from "./WireCover.ts"
import type { WireBankName, WireFar, WireHands } from "./WireFar.ts"
import { makeWireFunds } from "./WireFunds.ts"
import { makeLine } from "./WireLine.ts"
import { makeWireMoney } from "./WireMoney.ts"
import { makeWireReports } from "./WireReports.ts"
import { wooviFar } from "./WireWoovi.ts"

/** Everything that is late comes out within this when the bank is calm. */
const calmWithin = 60_000
/** A request arrives before what is not found is final: 2 minutes by the layer's word, of which a token may take some seconds. */
const lateMax = 100_000

/**
 * Makes banks that are asked as real ones are: each process has a PSP layer of its own, as in production; what it sends goes over a
 * line on which everything goes wrong that goes wrong with HTTP, and comes to the fake bank, whose world is the truth.
 */
export const wireBankMaker =
  (name: WireBankName): BankMaker =>
  (world, options) => {
    const parts = partsOf(name, world, options)
    const { agenda, far, funds, line, money, post, records, reports, voice } = parts
    const cover = makeCoverWatch()
    return {
      name: options.name,
      psp: (caller) => cover.watch(pspOf({ far, line, records }, caller)),
      book: records,
      pay: (reference, amount, payer) => {
        const centavos = amount === undefined ? undefined : Number(amount)
        money.pay(reference, present({ centavos, payer }))
        return undefined
      },
      settlePayout: money.settlePayout,
      settleRefund: (reference, end) => money.settleReturn(reference, end === "confirmed"),
      hands: {
        payable: money.payable,
        payouts: () => money.payouts(({ status }) => status === "processing"),
        completedPayouts: () => money.payouts(({ status }) => status === "completed"),
        refunds: money.returns
      },
      referenceOf: far.referenceOf,
      complaints: () => [...cover.complaints, ...far.complaints()],
      holdings: funds,
      ...present({ reports }),
      pending: () => [...agenda.pending(), ...post.pending()],
      calm: () => {
        parts.becomeCalm()
        funds.calm()
        agenda.hasten(calmWithin)
        post.calm()
        voice.again(far.bank)
      }
    }
  }

const partsOf = (
  name: WireBankName,
  world: Parameters<BankMaker>[0],
  options: Parameters<BankMaker>[1]
) => {
  const agenda = makeAgenda(world, world.chance(`${options.name}: agenda`))
  const records = makeRecords(world, options.name)
  const post = makePost({ world, agenda, records, bank: options })
  const chance = world.chance(`${options.name}: how it is`)
  let isCalm = false
  const isFaulty = () => !isCalm && world.isFaulty()
  const voice = makeVoice()
  const parts = { chance, clock: clockOf(world), deliver: voice.tell }
  const far =
    name === "woovi" ? wooviFar({ ...parts, hold: () => world.hold() }) : bacenFar(name, parts)
  const { bank, lagMillis, words } = far
  const { silently } = voice
  const funds = makeWireFunds({ world, options, account: bank.account, records, isFaulty })
  const money = makeWireMoney({
    world,
    options,
    bank,
    agenda,
    records,
    lagMillis,
    isFaulty,
    silently
  })
  const reports = makeWireReports({ world, options, bank, agenda })
  voice.listen((callback, fate) =>
    post.send(
      far.letterOf(callback, () => anyOf(money.payable(), chance)),
      fate ?? post.fate(false)
    )
  )
  far.begin()
  const hides = () => money.meets("hidden")
  const line = makeLine({
    world,
    bank: options,
    agenda,
    records,
    farEnd: bank,
    words,
    isFaulty,
    lateMax,
    hides,
    mistold: (asked) => far.mistold(asked, records)
  })
  const becomeCalm = () => void (isCalm = true)
  return { agenda, far, funds, line, money, post, records, reports, voice, becomeCalm }
}

/** The bank's clock is the world's. */
const clockOf = (world: World): BankClock => ({
  now: () => new Date(world.now()),
  later: (millis, task) => world.after(millis, () => void task()),
  advance: () => Promise.reject(new Error("The time of a simulation goes by itself.")),
  stop: () => undefined
})

const anyOf = (
  references: ReadonlyArray<string>,
  chance: { readonly pick: <A>(all: ReadonlyArray<A>) => A }
): string => (references.length === 0 ? "0".repeat(32) : chance.pick(references))

/** What the bank writes, on its way to whoever posts it. */
const makeVoice = () => {
  const told: Array<NewCallback> = []
  let post: (callback: NewCallback, fate?: NoticeFate) => void = () => undefined
  let isSilent = false
  return {
    listen: (listener: typeof post) => void (post = listener),
    tell: (callback: NewCallback) => {
      told.push(callback)
      post(callback, isSilent ? "dropped" : undefined)
    },
    silently: (happen: () => void) => {
      isSilent = true
      happen()
      isSilent = false
    },
    /**
     * Of charges that were paid several times: the service asks once about one that it knows as paid (decision 0069). And of
     * disputes, which Woovi lists nowhere (decision 0110).
     */
    again: ({ world }: WireHands) => {
      const several = world.charges.filter(({ payments }) => payments.length > 1)
      const names = several.flatMap(({ payments }) => payments.map(({ endToEndId }) => endToEndId))
      for (const callback of told) {
        const text = JSON.stringify(callback.body)
        const isDispute = text.includes("OPENPIX:DISPUTE_CREATED")
        if (isDispute || names.some((name) => text.includes(name))) post(callback, "sent")
      }
    }
  }
}

interface PspParts {
  readonly far: WireFar
  readonly line: ReturnType<typeof makeLine>
  readonly records: BankRecords
}

/** The layer as one process has it, with what the book has to tell of its calls. */
const pspOf = ({ far, line, records }: PspParts, caller: Caller): PspShape => {
  const psp = far.psp((request) => caller.exchange((reply) => line.take(request, reply)))
  const recorded =
    <Asked, A>(
      method: BankMethod,
      call: (asked: Asked) => Effect.Effect<A>,
      referenceOf: (asked: Asked) => string
    ) =>
    (asked: Asked): Effect.Effect<A> =>
      Effect.suspend(() => {
        const reference = referenceOf(asked)
        records.called(method, reference)
        return Effect.tap(call(asked), (outcome) =>
          Effect.sync(() => {
            const words = wordsOf(outcome)
            records.told(method, reference, words)
            records.note(`${method} ${reference} is ${words}`)
          })
        )
      })
  const self = (reference: string) => reference
  const by = ({ reference }: { readonly reference: string }) => reference
  return {
    ...psp,
    createCharge: recorded("createCharge", psp.createCharge, by),
    findCharge: recorded("findCharge", psp.findCharge, self),
    cancelCharge: recorded("cancelCharge", psp.cancelCharge, self),
    sendPayout: recorded("sendPayout", psp.sendPayout, by),
    findPayout: recorded("findPayout", psp.findPayout, by),
    refund: recorded("refund", psp.refund, by),
    findRefund: recorded("findRefund", psp.findRefund, by)
  }
}

const wordsOf = (outcome: unknown): string => {
  const { _tag, code, value } = outcome as {
    readonly _tag: string
    readonly code?: string
    readonly value?: { readonly status: string }
  }
  return [_tag, code ?? (_tag === "Done" ? (value?.status ?? "nothing") : "")].join(" ").trim()
}
