import type { PspShape } from "@pagora/core"
import type { BankClock, NewCallback } from "@pagora/fake-bank"
import { makeFakeBank } from "@pagora/fake-bank"
import { bacen } from "@pagora/psp-bacen"
import type { WireFar, WireWords } from "./WireFar.ts"
import type { Chance } from "./WireFaults.ts"
import { drawProof, letterOf, withCertificate } from "./WirePost.ts"

export interface FarOptions {
  readonly chance: Chance
  readonly clock: BankClock
  readonly deliver: (callback: NewCallback) => void
}

const words: WireWords = {
  failures: [
    { kind: "status", status: 500, body: { nome: "erro_interno", mensagem: "Erro interno." } },
    {
      kind: "status",
      status: 503,
      body: { title: "Indisponível", status: 503, detail: "Volte já." }
    }
  ],
  hides: ({ kind, subject }, isHidden) => {
    const isQuestion = kind === "findCharge" || kind === "findPayout" || kind === "findRefund"
    return isQuestion && isHidden(subject) ? { kind: "refuse", status: 404 } : undefined
  },
  isByToken: true
}

/** A bank of the Central Bank's API, and `bacen` before it. */
export const bacenFar = (
  name: "efi" | "inter",
  { chance, clock, deliver }: FarOptions
): WireFar => {
  const { proof, url } = drawProof(chance)
  const bank = makeFakeBank({
    bank: name,
    seed: chance.below(2 ** 31),
    tokenSeconds: chance.pick([90, 600, 3_600]),
    payoutsNeedApproval: name === "inter" && chance.happens(0.3),
    clock,
    deliver
  })
  const { clientId, clientSecret } = bank.client
  return {
    bank: { ...bank, name },
    words,
    lagMillis: 10 * 60_000,
    psp: (transport): PspShape => {
      const psp = bacen({
        bank: name,
        environment: "sandbox",
        pixKey: bank.pixKey,
        clientId,
        clientSecret,
        callbacks: proof,
        origin: bank.urls.origin,
        transport
      })
      return {
        ...psp,
        readNotification: (notification) => psp.readNotification(withCertificate(notification))
      }
    },
    letterOf: (callback, anyReference) => letterOf(callback, proof.by, anyReference),
    referenceOf: (code) => /\/qr\/v2\/([a-zA-Z0-9]{26,35})/.exec(code)?.[1],
    complaints: () =>
      bank.findings.map(({ by, faults, operation }) => `${by} ${operation}: ${faults.join("; ")}`),
    mistold: () => undefined,
    begin: () => bank.callAt(url)
  }
}
