import { DateTime, Result } from "effect"
import { toBrlString } from "../kernel/Money.ts"
import type { JsonValue } from "../kernel/StrictJson.ts"
import { JsonNumber, parse } from "../kernel/StrictJson.ts"
import type { SandboxPayment } from "./SandboxCharge.ts"

/** The body that tells of one payment, as the Pix API of the Central Bank has it, with the payer as banks add it. */
export const write = (reference: string, payment: SandboxPayment): string => {
  const { document, name } = payment.payer
  return JSON.stringify({
    pix: [
      {
        endToEndId: payment.endToEndId,
        txid: reference,
        valor: toBrlString(payment.amount),
        horario: DateTime.formatIso(payment.paidAt),
        pagador: {
          nome: name,
          ...(document.length === 11 ? { cpf: document } : { cnpj: document })
        }
      }
    ]
  })
}

/**
 * The txids that a body tells of, each once; undefined when it is no notification. `pix` may be one object, as the
 * official example has its inner lists. A Pix without a txid is not for a charge.
 */
export const readTxids = (text: string): ReadonlyArray<string> | undefined => {
  const body = Result.getOrUndefined(parse(text))
  const pix = isObject(body) ? body["pix"] : undefined
  const entries = Array.isArray(pix) ? pix : [pix]
  const txids = new Set<string>()
  for (const entry of entries) {
    if (!isObject(entry)) return undefined
    const txid = entry["txid"]
    if (txid === undefined) continue
    if (typeof txid !== "string" || !/^[A-Za-z0-9]{1,35}$/.test(txid)) return undefined
    txids.add(txid)
  }
  return [...txids]
}

const isObject = (value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof JsonNumber)
