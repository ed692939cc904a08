import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { bacen } from "../Bacen.ts"
import { cob, optionsFor, secret, startBank, txid } from "../Bank.test-data.ts"
import type { BankName } from "./Banks.ts"
import { banks } from "./Banks.ts"

const basic = `Basic ${Buffer.from(`cliente-1:${secret}`).toString("base64")}`

/** How each bank is asked for a token, and where a charge is taken back. */
const wanted: Record<
  BankName,
  {
    readonly token: string
    readonly basic: boolean
    readonly body: string
    readonly cancel: string
  }
> = {
  efi: {
    token: "/oauth/token",
    basic: true,
    body: '{"grant_type":"client_credentials"}',
    cancel: `/v2/cob/${txid}`
  },
  inter: {
    token: "/oauth/v2/token",
    basic: false,
    body: `grant_type=client_credentials&client_id=cliente-1&client_secret=${secret}&scope=cob.write+cob.read+pix.write+pix.read`,
    cancel: `/pix/v2/cob/${txid}`
  },
  bb: {
    token: "/oauth/token",
    basic: true,
    body: "grant_type=client_credentials&scope=cob.write+cob.read+pix.write+pix.read",
    cancel: `/pix/v2/cob/${txid}`
  },
  bradesco: {
    token: "/oauth/token",
    basic: true,
    body: "grant_type=client_credentials",
    cancel: `/v2/cob/${txid}`
  },
  itau: {
    token: "/as/token.oauth2",
    basic: false,
    body: `grant_type=client_credentials&client_id=cliente-1&client_secret=${secret}`,
    cancel: `/pix_recebimentos/v2/cob/${txid}`
  },
  santander: {
    token: "/oauth/token",
    basic: false,
    body: `client_id=cliente-1&client_secret=${secret}`,
    cancel: `/api/v2/cob/${txid}`
  },
  sicoob: {
    token: "/auth/realms/cooperado/protocol/openid-connect/token",
    basic: false,
    body: "grant_type=client_credentials&client_id=cliente-1&scope=cob.write+cob.read+pix.write+pix.read",
    cancel: `/pix/api/v2/cob/${txid}`
  },
  sicredi: {
    token: "/oauth/token",
    basic: true,
    body: "grant_type=client_credentials&scope=cob.write+cob.read+pix.write+pix.read",
    cancel: `/api/v3/cob/${txid}`
  },
  pagbank: {
    token: "/pix/oauth2",
    basic: true,
    body: '{"grant_type":"client_credentials","scope":"cob.write cob.read pix.write pix.read"}',
    cancel: `/instant-payments/cob/${txid}`
  }
}

layer(Layer.empty, { excludeTestServices: true })("each bank", (it) => {
  for (const name of Object.keys(wanted) as ReadonlyArray<BankName>) {
    it.effect(`${name} is asked for a token and to take back a charge in its own way`, () =>
      Effect.gen(function* () {
        const bank = yield* startBank(() => ({
          status: 201,
          json: cob({ status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" })
        }))
        const psp = bacen(optionsFor(name, bank.origin, { appKey: "chave-do-app", account: "123" }))
        assert.strictEqual((yield* psp.cancelCharge(txid))._tag, "Done")
        const [token] = bank.tokens
        const [cancel] = bank.asks
        assert.strictEqual(token?.path, wanted[name].token)
        assert.strictEqual(token?.body, wanted[name].body)
        assert.strictEqual(token?.headers.authorization, wanted[name].basic ? basic : undefined)
        assert.strictEqual(
          token?.query.get("grant_type"),
          name === "santander" ? "client_credentials" : null
        )
        assert.strictEqual(cancel?.method, "PATCH")
        assert.strictEqual(cancel?.path, wanted[name].cancel)
        assert.strictEqual(
          cancel?.query.get("gw-dev-app-key"),
          name === "bb" ? "chave-do-app" : null
        )
        assert.strictEqual(
          cancel?.headers["client_id"],
          name === "sicoob" ? "cliente-1" : undefined
        )
        assert.strictEqual(
          cancel?.headers["x-conta-corrente"],
          name === "inter" ? "123" : undefined
        )
        assert.strictEqual(cancel?.headers["x-correlationid"] !== undefined, name === "itau")
      }).pipe(Effect.scoped)
    )
  }
})

describe("the profiles", () => {
  for (const [name, profile] of Object.entries(banks)) {
    layer(Layer.empty)(name, (it) => {
      it.effect("say where their facts were read, and lead to the bank by TLS alone", () =>
        Effect.sync(() => {
          assert.strictEqual(profile.name, name)
          for (const field of ["production", "token", "paths", "callbacks", "budget"])
            assert.property(profile.sources, field)
          for (const { from } of Object.values(profile.sources)) assert.notStrictEqual(from, "")
          for (const hosts of [profile.production, profile.sandbox]) {
            if (hosts === undefined) continue
            assert.match(hosts.api, /^https:\/\/[a-z.-]+(\/[\w./-]*[\w])?$/)
            assert.match(hosts.token, /^https:\/\//)
          }
        })
      )
    })
  }
})
