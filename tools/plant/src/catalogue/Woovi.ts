import type { Plant } from "../Plant.ts"
import { inCore, inWoovi } from "../Plant.ts"

/** Bugs of the layer for Woovi, and of what it shares with layers of PSPs of JSON: they show behind Woovi's protocol. */
export const woovi: ReadonlyArray<Plant> = [
  {
    name: "signature-of-woovi-is-not-looked-at",
    what: "A callback is believed whatever it is signed with, so that anybody who knows the address may say what was paid.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inCore(
        "psp-http/Signatures.ts",
        "      return isExact && keys.some(",
        "      return isExact || keys.some("
      )
    ]
  },
  {
    name: "any-refusal-of-woovi-is-not-found",
    what: "Whatever Woovi refuses to tell counts as its word that nothing is there: a payout that it has fails, its money is given back, and it is paid.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inWoovi(
        "WooviErrors.ts",
        'new RegExp(`(${name}).*(not found|encontrad)`, "i").test(message)',
        "message !== name"
      )
    ]
  },
  {
    name: "repeat-at-woovi-is-refused",
    what: "A repeat that Woovi refuses as known already counts as the refusal of the payout that the first try has made.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inWoovi(
        "WooviPayouts.ts",
        "unlessThere(made, look(reference))",
        "unlessThere(made, Effect.undefined)"
      )
    ]
  },
  {
    name: "request-at-woovi-is-given-up",
    what: "A payout that Woovi keeps as a request is given up and its money given back; then somebody approves it in Woovi's panel.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inWoovi(
        "WooviPayouts.ts",
        "PspOutcome.notNow(`a request waits at Woovi: ${reason}`, pause)",
        "PspOutcome.rejected(reason, `a request waits at Woovi: ${pause}`)"
      )
    ]
  },
  {
    name: "kept-request-is-not-asked-about",
    what: "Of a payout that its PSP took not now nobody hears while its owner may not pay, though the PSP has kept the request and paid it.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inCore(
        "withdrawals/PayoutVerdict.ts",
        '      return look.mayPay ? { _tag: "Send" } : { _tag: "Ask" }\n',
        "      return send(withdrawal, look)\n"
      )
    ]
  },
  {
    name: "unknown-word-of-woovi-is-a-failure",
    what: "A status of a payout that is not known counts as failed: its money is given back, and it is paid.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inWoovi(
        "WooviPayouts.ts",
        '("payment.status", statuses, "processing")',
        '("payment.status", { ...statuses, processing: ["CREATED", "APPROVED"] }, "rejected")'
      )
    ]
  },
  {
    name: "payout-that-comes-back-to-woovi-stays-away",
    what: "Nobody asks what came back of a payout: one that was paid and came back counts as refused, and its money stays away.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inWoovi(
        "WooviPayouts.ts",
        '    if (status === "processing" || endToEndId === undefined) return Effect.succeed(payout)\n',
        '    if (status !== "reversed" || endToEndId === undefined) return Effect.succeed(payout)\n'
      )
    ]
  },
  {
    name: "return-that-woovi-refused-is-made",
    what: "A return that Woovi did not make is read as made: its payer never has the money, and its owner has paid it.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inWoovi(
        "WooviReceived.ts",
        '  confirmed: ["CONFIRMED", "REFUNDED"],\n  rejected: ["REJECTED", "NOT_ACCOMPLISHED"]\n',
        '  confirmed: ["CONFIRMED", "REFUNDED", "REJECTED", "NOT_ACCOMPLISHED"],\n  rejected: []\n'
      )
    ]
  },
  {
    name: "answer-about-another-at-woovi",
    what: "The answer of a PSP of JSON about another payout or charge is taken for that of the one that was asked about.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inCore(
        "psp-http/PspCalls.ts",
        "      (told) => told === undefined || isAbout(about)(told),\n",
        "      (told) => told === undefined || Object.assign(told, about) === told,\n"
      )
    ]
  },
  {
    name: "error-of-woovi-is-a-refusal",
    what: "A 5xx with words beside it counts as a refusal: a payout whose request is still on its way fails, its money is given back, and then it is paid.",
    storage: "memory",
    bank: "woovi",
    edits: [
      inCore(
        "psp-http/JsonHttp.ts",
        "const refusing = new Set([400, 404, 410, 422])\n",
        "const refusing = new Set([400, 404, 410, 422, 500, 503])\n"
      )
    ]
  }
]
