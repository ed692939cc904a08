import type { Route } from "../door/Exchange.ts"
import { isRecord, member } from "../door/Exchange.ts"
import type { World } from "../world/World.ts"

/** What a customer of Efí has set (`PUT /v2/gn/config`; EFI-SDK pix.d.ts, `updateAccountConfig`). */
export interface EfiSettings {
  /** What was set for a key, at a place: `recebimento`, `webhook`, `notificacao`, `pagador`. */
  readonly of: (key: string, ...place: ReadonlyArray<string>) => unknown
  readonly routes: ReadonlyArray<Route>
}

export const makeEfiSettings = (world: World): EfiSettings => {
  let pix: Readonly<Record<string, unknown>> = { receberSemChave: true, chaves: {} }
  const settings: EfiSettings = {
    of: (key, ...place) => member(pix, "chaves", key, ...place),
    routes: [
      {
        operation: "setSettings",
        method: "PUT",
        path: "/v2/gn/config",
        scope: "gn.settings.write",
        body: settingsSchema,
        handle: ({ json }) => {
          const told = member(json, "pix")
          if (isRecord(told)) pix = { ...pix, ...told }
          return { status: 204 }
        }
      },
      {
        operation: "findSettings",
        method: "GET",
        path: "/v2/gn/config",
        scope: "gn.settings.read",
        handle: () => ({ status: 200, body: { pix } })
      }
    ]
  }
  world.gates.push((_, { key, payer, txid }) => {
    const recusar = settings.of(key, "recebimento", "recusarTipoPessoa")
    const isCompany = payer.document.length === 14
    if (recusar === "PJ" && isCompany) return "The key takes no money of companies."
    if (recusar === "PF" && !isCompany) return "The key takes no money of people."
    if (settings.of(key, "recebimento", "txidObrigatorio") === true && txid === undefined) {
      return "The key takes no money without a txid."
    }
    return undefined
  })
  return settings
}

const settingsSchema = {
  type: "object",
  required: ["pix"],
  properties: {
    pix: {
      type: "object",
      properties: {
        receberSemChave: { type: "boolean" },
        chaves: {
          type: "object",
          additionalProperties: {
            type: "object",
            properties: {
              recebimento: {
                type: "object",
                properties: {
                  txidObrigatorio: { type: "boolean" },
                  recusarTipoPessoa: { enum: ["PF", "PJ"] },
                  qrCodeEstatico: { type: "object" },
                  documentoPagadorIgualDevedor: { type: "boolean" },
                  webhook: { type: "object" }
                }
              },
              envio: { type: "object" }
            }
          }
        }
      }
    }
  }
} as const
