import { assert, describe, it } from "@effect/vitest"
import type { PspSettings } from "@pagora/core"
import { wooviPublicKey } from "@pagora/psp-woovi"
import { Effect, Redacted, Result } from "effect"
import {
  clientOne,
  clientOneP12,
  clientTwo
} from "../../../psp-bacen/src/Certificates.test-data.ts"
import { bankProviders } from "./BankProviders.ts"

const settings = {
  pixKey: "11222333000181",
  clientId: "loja",
  clientSecret: "hunter2-of-the-bank",
  certificateP12: clientOneP12.base64,
  certificatePassphrase: clientOneP12.passphrase,
  callbackSecret: "segredo-dos-callbacks-1",
  callbackAddresses: "127.0.0.1,10.0.0.1"
}

const make = (bank: string, given: PspSettings, more: { readonly isKept?: boolean } = {}) => {
  const provider = bankProviders[bank]
  if (provider === undefined) throw new Error(`There is no ${bank}.`)
  return provider.make({ environment: "production", settings: Redacted.make(given), ...more })
}

const faultsOf = (given: PspSettings) =>
  Effect.map(Effect.flip(make("efi", given)), ({ faults }) => faults)

const { certificateP12: _, certificatePassphrase: __, ...bare } = settings
const pair = { certificatePem: clientOne.certificate, certificateKeyPem: clientOne.privateKey }

const noCertificate =
  "settings.certificateP12 is missing: in production efi wants a certificate, as a .p12 in Base64 or as settings.certificatePem and settings.certificateKeyPem."

/** Of each bank, settings that nothing would read, and what is said of them. */
const stray: ReadonlyArray<readonly [string, string, PspSettings]> = [
  ["efi", "settings.appKey means nothing to efi: take it away.", { appKey: "hunter2" }],
  ["efi", "settings.account means nothing to efi: take it away.", { account: "1234" }],
  ["inter", "settings.refusePayers means nothing to inter: take it away.", { refusePayers: "PJ" }],
  ["sicoob", "settings.clientSecret means nothing to sicoob: take it away.", {}],
  [
    "efi",
    "settings.callbackCommonName is read only where settings.callbacks is mutual-tls: set that, or take it away.",
    { callbackCommonName: "hunter2" }
  ],
  [
    "efi",
    "settings.callbackSecret is not read where settings.callbacks is mutual-tls: take one of them away.",
    { callbacks: "mutual-tls", callbackAddresses: "" }
  ],
  [
    "efi",
    "settings.callbackAddresses is read only where callbacks prove themselves by settings.callbackSecret: set that, or take it away.",
    { callbackSecret: "" }
  ],
  [
    "efi",
    "settings.certificateKeyPem is the key of a certificate that settings.certificatePem does not have: give it there, or take it away.",
    { certificateP12: "", certificateKeyPem: clientOne.privateKey, certificatePassphrase: "" }
  ],
  [
    "bb",
    "settings.certificatePassphrase opens a certificate, and none is given: give it, or take it away.",
    { certificateP12: "" }
  ]
]

describe("the banks that can be kept", () => {
  it.effect.each(stray)("say of %s that %s", ([bank, sentence, more]) =>
    Effect.gen(function* () {
      const { faults } = yield* Effect.flip(make(bank, { ...settings, ...more }))
      assert.include([...faults], sentence)
      assert.notInclude(faults.join(), "hunter2")
    })
  )

  it.effect.each(stray)("open for %s what was kept before %s", ([bank, sentence, more]) =>
    Effect.gen(function* () {
      const kept = make(bank, { ...settings, ...more }, { isKept: true })
      const made = yield* Effect.result(kept)
      const faults = Result.isFailure(made) ? made.failure.faults : []
      assert.notInclude([...faults], sentence)
      // In production each wants a certificate, kept or not.
      assert.strictEqual(faults.length, more.certificateP12 === "" ? 1 : 0, faults.join())
    })
  )

  it.effect("are made of settings alone, by a .p12 or by a pair of PEM texts", () =>
    Effect.gen(function* () {
      for (const given of [settings, { ...bare, ...pair }]) {
        const { certificateEndsAt, psp } = yield* make("efi", given)
        assert.strictEqual(psp.provider, "efi")
        assert.strictEqual(psp.environment, "production")
        assert.deepStrictEqual(psp.identity, { clientId: "loja", account: "11222333000181" })
        assert.strictEqual(certificateEndsAt?.toString().slice(0, 24), "DateTime.Utc(2119-09-17T")
      }
    })
  )

  it.effect("are with Woovi, whose AppID is known by a digest", () =>
    Effect.gen(function* () {
      const appId = "Q2xpZW50X0lkX2xvamE6Q2xpZW50X1NlY3JldF9odW50ZXIy"
      const { psp } = yield* make("woovi", { appId })
      const other = yield* make("woovi", { appId: `${appId}x` })
      assert.strictEqual(psp.provider, "woovi")
      assert.match(psp.identity?.clientId ?? "", /^[0-9a-f]{16}$/)
      assert.notStrictEqual(psp.identity?.clientId, other.psp.identity?.clientId)
      const { faults } = yield* Effect.flip(make("woovi", { appId, pixKey: "11222333000181" }))
      assert.deepStrictEqual(faults, ["settings.pixKey means nothing to woovi: take it away."])
    })
  )

  it.effect("say of each setting what is wrong, by its name and without its text", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* faultsOf({ clientSecret: settings.clientSecret }), [
        "settings.pixKey is missing: set it to the key that charges are paid to, as the directory stores it.",
        "settings.clientId is missing: the bank's portal shows it.",
        noCertificate
      ])
      const [wrong = "", unknown = ""] = yield* faultsOf({
        ...settings,
        callbackSecret: "kurz",
        certificateFile: "/run/secrets/efi.p12"
      })
      assert.match(wrong, /^settings\.callbackSecret must be 16 to 200/)
      assert.match(
        unknown,
        /^There is no setting certificateFile: they are pixKey, .*certificatePem/
      )
      assert.deepStrictEqual(yield* faultsOf(bare), [noCertificate])
      for (const [more, sentence] of [
        [{ certificatePassphrase: "falsch" }, /passphrase does not open the certificate/],
        [pair, /settings\.certificateP12 and settings\.certificatePem are both there/],
        [{ pixKey: "nobody" }, /pixKey must be a Pix key/]
      ] as const)
        assert.match((yield* faultsOf({ ...settings, ...more })).join(" "), sentence)
      const stranger = { ...bare, ...pair, certificateKeyPem: clientTwo.privateKey }
      assert.match((yield* faultsOf(stranger)).join(" "), /does not belong to the certificate/)
    })
  )
})

describe("settings of Woovi that are kept", () => {
  it.effect("make a PSP, with other signing keys where there are some", () =>
    Effect.gen(function* () {
      for (const signingKeysPem of ["", wooviPublicKey + wooviPublicKey]) {
        const { psp } = yield* make("woovi", { appId: "app", signingKeysPem })
        assert.deepStrictEqual([psp.provider, psp.environment], ["woovi", "production"])
      }
    })
  )

  it.effect("are refused where they are another bank's, or no keys, and are not repeated", () =>
    Effect.gen(function* () {
      const faults = (provider: string, settings: PspSettings) =>
        Effect.map(Effect.flip(make(provider, settings)), (refused) => refused.faults)
      assert.deepStrictEqual(
        (yield* faults("woovi", { pixKey: "key", certificatePem: "hunter2" })).map(
          (fault) => fault.split(":")[0]
        ),
        [
          "settings.pixKey means nothing to woovi",
          "settings.appId is missing",
          "settings.certificatePem means nothing to woovi"
        ]
      )
      const noKey = yield* faults("woovi", { appId: "app", signingKeysPem: "hunter2" })
      assert.match(noKey.join(), /^The keys that Woovi signs with must be PEM/)
      const atEfi = yield* faults("efi", { appId: "hunter2", signingKeysPem: "hunter2" })
      assert.includeMembers(
        [...atEfi],
        [
          "settings.appId means nothing to efi: take it away.",
          "settings.signingKeysPem means nothing to efi: take it away."
        ]
      )
      assert.notInclude([...noKey, ...atEfi].join(), "hunter2")
    })
  )
})
