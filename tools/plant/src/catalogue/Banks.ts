import type { Plant } from "../Plant.ts"
import { inBacen, inCore } from "../Plant.ts"

/** Bugs of the layer for banks, which show behind the protocol of Efí or of Inter. */
export const banks: ReadonlyArray<Plant> = [
  {
    name: "error-of-the-bank-is-a-refusal",
    what: "A 5xx in the bank's own words counts as its refusal: a payout whose request is still on its way fails, its money is given back, and then it is paid.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "http/Heard.ts",
        "  if (!refusing.has(status)) return unknown(`status ${status}: ${error.code}`)\n",
        ""
      )
    ]
  },
  {
    name: "refusal-is-not-looked-up",
    what: "A refusal is believed without the look-up that says that nothing is there: a repeat that is refused as a duplicate fails what the first try has done.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "Settling.ts",
        "    const found = yield* order.find\n",
        '    if (heard._tag === "Refused") return PspOutcome.rejected(heard.code, heard.message)\n    const found = yield* order.find\n'
      )
    ]
  },
  {
    name: "page-is-a-refusal",
    what: "A page of a proxy with 404 counts as the bank's word that nothing is there, though the order behind it may have been done.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "http/Heard.ts",
        '  if (status === 404 && !isOfBank(error)) return unknown("status 404 of something before the bank")\n',
        ""
      ),
      inBacen(
        "http/Heard.ts",
        "  if (error === undefined) return unknown(`status ${status}`)\n",
        '  if (error === undefined)\n    return status === 404\n      ? { _tag: "Refused", status, code: "404", message: "", isMissing: true }\n      : unknown(`status ${status}`)\n'
      )
    ]
  },
  {
    name: "denied-is-refused",
    what: "A token that is not taken any more counts as the refusal of what was asked with it: a repeat fails a payout that the first try has made.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "Settling.ts",
        '    if (heard._tag === "Denied") return { _tag: "NotSent", detail: heard.detail }\n    if (heard._tag !== "Answered"',
        '    if (heard._tag === "Denied") return PspOutcome.rejected("denied", heard.detail)\n    if (heard._tag !== "Answered"'
      ),
      inBacen(
        "http/BacenHttp.ts",
        'if (heard._tag !== "Denied" || token === fixed) return heard',
        'if (heard._tag !== "Denied" || asked.kind === "sendPayout") return heard'
      )
    ]
  },
  {
    name: "too-many-is-refused",
    what: "Too many requests count as the refusal of the one that was too many: a repeat fails what the first try has done.",
    storage: "memory",
    bank: "inter",
    edits: [
      inBacen(
        "http/Heard.ts",
        '  if (status === 429)\n    return { _tag: "NotNow", detail: "status 429", after: pauseOf(answer.retryAfter, hearing) }\n',
        '  if (status === 429)\n    return { _tag: "Refused", status, code: String(pauseOf(answer.retryAfter, hearing)), message: "", isMissing: false }\n'
      ),
      inBacen(
        "inter/InterPayouts.ts",
        "  isRepeat === true\n",
        '  isRepeat === true && code === ""\n'
      )
    ]
  },
  {
    name: "callback-is-not-proved",
    what: "A callback is believed whoever sends it: without the secret of its address, and without a certificate of the bank.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "callbacks/Notifications.ts",
        "readBodies(isAuthentic,",
        "readBodies((one) => isAuthentic(one) || one.body.length > 0,"
      )
    ]
  },
  {
    name: "any-certificate-is-the-banks",
    what: "A certificate that leads to an authority is enough for a callback, whoever it names.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "callbacks/CallbackProof.ts",
        "  return commonName === undefined || commonNameOf(subject) === commonName\n",
        "  return commonName === undefined || commonNameOf(subject) !== undefined\n"
      )
    ]
  },
  {
    name: "answer-about-another-payout",
    what: "The answer of Efí about another payout is taken for that of the one that was asked about.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "efi/EfiPayouts.ts",
        "    return payout.reference === reference ? payout : undefined\n",
        "    return { ...payout, reference }\n"
      )
    ]
  },
  {
    name: "answer-about-another-charge",
    what: "The answer about another charge is taken for that of the one that was asked about, with its code and its payments.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "charges/Charges.ts",
        "    return charge.reference === reference ? charge : undefined\n",
        "    return { ...charge, reference }\n"
      )
    ]
  },
  {
    name: "pause-is-not-told",
    what: "Whoever waits for a bank that wants no questions for an hour is not told so: he asks again and again, and learns nothing.",
    storage: "memory",
    bank: "efi",
    edits: [
      inCore(
        "psp-calls/PspPause.ts",
        "    [open, ...outcomes.map(pauseIn)].reduce(longer, undefined)\n",
        "    outcomes.length > 0 ? undefined : open\n"
      )
    ]
  },
  {
    name: "repeat-at-inter-is-no-repeat",
    what: "Inter has no look-up by our reference, and a repeat that it refuses is believed: the first try may have been paid.",
    storage: "memory",
    bank: "inter",
    edits: [inBacen("inter/InterPayouts.ts", "  isRepeat === true\n", "  isRepeat === undefined\n")]
  },
  {
    name: "repeat-at-inter-has-a-key-of-its-own",
    what: "A repeat goes out to Inter under another idempotency key than the first try, so that both are paid.",
    storage: "memory",
    bank: "inter",
    edits: [
      inBacen(
        "inter/InterPayouts.ts",
        "idempotencyKey(payout.reference) }",
        "idempotencyKey(`${payout.reference}${payout.isRepeat === true}`) }"
      )
    ]
  },
  {
    name: "answer-about-another-at-inter",
    what: "The answer of Inter about another payout is taken for that of the one that was asked about.",
    storage: "memory",
    bank: "inter",
    edits: [
      inBacen(
        "inter/InterWire.ts",
        "  if ((pix.codigoSolicitacao ?? names.pspReference) !== names.pspReference) return undefined\n",
        ""
      )
    ]
  },
  {
    name: "rejected-return-is-confirmed",
    what: "A return that the bank did not make is read as made: its payer never has the money, and its owner has paid it.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "received/PixWire.ts",
        '  NAO_REALIZADO: "rejected"\n',
        '  NAO_REALIZADO: "confirmed"\n'
      )
    ]
  },
  {
    name: "payout-under-way-is-completed",
    what: "A payout that Efí has taken is read as paid, so that one that comes to nothing is never given back.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "efi/EfiPayouts.ts",
        '  EM_PROCESSAMENTO: "processing",\n',
        '  EM_PROCESSAMENTO: "completed",\n'
      )
    ]
  },
  {
    name: "payout-that-comes-back-stays-away",
    what: "The returns of a payout are not read: money that comes back to the bank never comes back to its owner.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "efi/EfiPayouts.ts",
        'status === "completed" ? reversalOf(sent.devolucoes ?? [], amount) : undefined',
        'status === "completed" ? reversalOf([], amount) : undefined'
      )
    ]
  },
  {
    name: "centavos-by-float",
    what: "Amounts are read by floating point and cut off: R$ 19.99 are 1998 centavos.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "Words.ts",
        'typeof amount === "string" ? Money.parseBacenAmount(amount) : Money.parseBrl(String(amount))\n',
        'typeof amount === "string"\n      ? Money.parseBrl(String(Math.trunc(Number(amount) * 100) / 100))\n      : Money.parseBrl(String(amount))\n'
      )
    ]
  },
  {
    name: "second-payment-of-a-charge",
    what: "Of a charge that was paid several times only the first payment is read: what came besides is never booked.",
    storage: "memory",
    bank: "efi",
    edits: [
      inBacen(
        "charges/ChargeWire.ts",
        "(cob.pix ?? []).map(readPayment)",
        "(cob.pix ?? []).slice(0, 1).map(readPayment)"
      )
    ]
  }
]
