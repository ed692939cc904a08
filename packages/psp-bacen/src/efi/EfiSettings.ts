import type { PspFinding } from "@pagora/core"
import { finding, toPrepare } from "@pagora/core/psp"
import { Effect, Result, Schema } from "effect"
import type { BankDesk } from "../BankDesk.ts"
import { whyNot } from "../setup/Findings.ts"

/** What of an account at Efí is set by configuration. What is left out is as we want it, or stays as it is. */
export interface EfiSettings {
  /**
   * Efí itself refuses payers of this kind. Off unless told. Where it is on, such payments never arrive and no event tells of them:
   * a refusal by the account's own policy (`PJ` is a CNPJ) is booked and returned, this one is not.
   */
  readonly refusePayers?: "PF" | "PJ"
}

const Json = Schema.Record(Schema.String, Schema.Unknown)
const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  Result.getOrElse(Schema.decodeUnknownResult(Json)(value), () => ({}))

const path = "/v2/gn/config"
const name = "settings"

/**
 * The settings of our key (`PUT /v2/gn/config`): callbacks tell who paid and tell of payments without a txid, and of results of payouts.
 * What else is set, for this key and for others, is sent back as it was read.
 */
export const prepareEfi = (
  { http, pixKey }: BankDesk,
  settings: EfiSettings
): Effect.Effect<PspFinding> =>
  Effect.gen(function* () {
    const heard = yield* http.call({ kind: "getSettings", scope: "pix", method: "GET", path })
    if (heard._tag !== "Answered" && !(heard._tag === "Refused" && heard.isMissing))
      return finding(name, "failed", `The settings cannot be read: ${whyNot(heard)}.`)
    const before = heard._tag === "Answered" ? heard.json : {}
    const wanted = withOurs(before, pixKey, settings)
    const put = yield* http.call({
      kind: "putSettings",
      scope: "pix",
      method: "PUT",
      path,
      body: wanted
    })
    return put._tag === "Answered"
      ? finding(name, "ok", "The settings of the key are as they should be.")
      : finding(name, "failed", `The settings cannot be changed: ${whyNot(put)}.`)
  })

/** Whether they are as `prepareEfi` leaves them. */
export const checkEfiSettings = (
  { http, pixKey }: BankDesk,
  settings: EfiSettings
): Effect.Effect<PspFinding> =>
  Effect.map(http.call({ kind: "getSettings", scope: "pix", method: "GET", path }), (heard) => {
    if (heard._tag !== "Answered")
      return finding(name, "warning", `The settings cannot be read: ${whyNot(heard)}.`)
    const receipts = recordOf(keyOf(heard.json, pixKey)["recebimento"])
    const hook = recordOf(receipts["webhook"])
    const tells = recordOf(hook["notificacao"])["pagador"] === true
    const tellsAll = recordOf(hook["notificar"])["pixSemTxid"] === true
    const refused = receipts["recusarTipoPessoa"]
    if (typeof refused === "string" && refused !== settings.refusePayers)
      return finding(
        name,
        "warning",
        `Efí refuses payers (recusarTipoPessoa ${refused}) though no setting here says so: their payments never arrive, and no event tells of them.`
      )
    if (settings.refusePayers !== undefined && refused !== settings.refusePayers)
      return finding(
        name,
        "warning",
        `Efí does not refuse payers of the kind ${settings.refusePayers} yet, as the settings here say: ${toPrepare}.`
      )
    return tells && tellsAll
      ? finding(name, "ok", "The settings of the key are as they should be.")
      : finding(
          name,
          "warning",
          `Callbacks do not tell who paid, or of payments without a txid: ${toPrepare}.`
        )
  })

const keyOf = (config: unknown, pixKey: string) =>
  recordOf(recordOf(recordOf(recordOf(config)["pix"])["chaves"])[pixKey])

const withOurs = (config: unknown, pixKey: string, { refusePayers }: EfiSettings): unknown => {
  const all = recordOf(config)
  const pix = recordOf(all["pix"])
  const key = keyOf(config, pixKey)
  const { recusarTipoPessoa: _, ...receipts } = recordOf(key["recebimento"])
  const hook = recordOf(receipts["webhook"])
  const sending = recordOf(key["envio"])
  const sendingHook = recordOf(sending["webhook"])
  return {
    ...all,
    pix: {
      receberSemChave: true,
      ...pix,
      chaves: {
        ...recordOf(pix["chaves"]),
        [pixKey]: {
          ...key,
          recebimento: {
            txidObrigatorio: false,
            qrCodeEstatico: { recusarTodos: false },
            ...receipts,
            ...(refusePayers === undefined ? {} : { recusarTipoPessoa: refusePayers }),
            webhook: {
              ...hook,
              notificacao: { tarifa: false, ...recordOf(hook["notificacao"]), pagador: true },
              notificar: { ...recordOf(hook["notificar"]), pixSemTxid: true }
            }
          },
          envio: {
            ...sending,
            webhook: {
              ...sendingHook,
              notificacao: {
                tarifa: false,
                favorecido: true,
                ...recordOf(sendingHook["notificacao"])
              }
            }
          }
        }
      }
    }
  }
}
