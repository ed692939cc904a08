import type { PspShape } from "@pagora/core"
import type { Exchanged, Transport } from "@pagora/core/psp"
import type { Fault, Indoors, World } from "@pagora/fake-bank"
import { makeFakeWoovi } from "@pagora/fake-bank/woovi"
import { woovi } from "@pagora/psp-woovi"
import { Effect } from "effect"
import type { FarOptions } from "./WireBacen.ts"
import type { WireFar, WireWords } from "./WireFar.ts"
import { makeWooviPost } from "./WooviPost.ts"

const place = "https://pagora.example/webhook"

export interface WooviFarOptions extends FarOptions {
  /** Lets time stand still until it is released. */
  readonly hold: () => () => void
}

/** A Woovi, and `woovi` before it, which has registered its callbacks itself. */
export const wooviFar = ({ chance, clock, deliver, hold }: WooviFarOptions): WireFar => {
  const bank = makeFakeWoovi({
    seed: chance.below(2 ** 31),
    pageMax: chance.pick([3, 25, 100]),
    payoutsNeedApproval: chance.happens(0.3),
    clock,
    deliver
  })
  const psp = (transport: Transport): PspShape =>
    woovi({
      appId: bank.appId,
      environment: "sandbox",
      url: bank.url,
      publicKeys: bank.keys.published(),
      transport
    })
  return {
    bank: { ...bank, name: "woovi" },
    words: wordsIn(bank.world),
    lagMillis: 5 * 60_000,
    psp,
    letterOf: makeWooviPost(bank.keys.sign),
    referenceOf: (code) => bank.chargeOf(code)?.txid,
    complaints: () => [],
    // A payout that failed counts as refused where no return shows: what then contradicts a booking goes to a person.
    mistold: ({ kind, subject }, records) => {
      const payout = bank.world.payouts.find(({ endToEndId }) => endToEndId === subject)
      if (kind !== "findReturnOfPayout" || payout === undefined) return
      const references = [payout.reference]
      const reasons = ["completed_but_rejected"] as const
      records.untrue({ method: "findPayout", references, fault: "garbage", reasons })
    },
    begin: () => {
      const release = hold()
      const prepared = psp(straightTo(bank.ask)).prepare?.({ webhookUrl: place }) ?? Effect.void
      void Effect.runPromise(prepared).then(release)
    }
  }
}

/** Over no line: nothing goes wrong with what an operator does by hand. */
const straightTo =
  (ask: Indoors): Transport =>
  (request) =>
    Effect.map(
      Effect.promise(() => ask(request)),
      (told): Exchanged =>
        told === undefined
          ? { _tag: "Lost", detail: "no answer" }
          : { _tag: "Answered", retryAfter: told.headers["retry-after"], ...told }
    )

const names = { findCharge: "Cobrança", findPayout: "Pagamento", findRefund: "Reembolso" } as const

const notFound = (name: string): Fault => ({
  kind: "status",
  status: 400,
  body: { error: `${name} não encontrado(a)` }
})

const wordsIn = ({ charges }: World): WireWords => ({
  failures: [
    { kind: "status", status: 500, body: { error: "Internal server error" } },
    { kind: "status", status: 503, body: { error: "Serviço indisponível", errorCode: "DOWN" } }
  ],
  hides: ({ kind, subject }, isHidden) => {
    if (kind === "findCharge" || kind === "findPayout" || kind === "findRefund")
      return isHidden(subject) ? notFound(names[kind]) : undefined
    if (kind !== "findReturnsOfCharge") return undefined
    const payments = charges.find(({ txid }) => txid === subject)?.payments ?? []
    const isAnyHidden = payments.some(({ returns }) => returns.some(({ id }) => isHidden(id)))
    // What the list does not have may be there all the same.
    return isAnyHidden ? { kind: "lie" } : undefined
  },
  isByToken: false
})
