import type { Centavos } from "@pagora/core"
import { BrCode, Money } from "@pagora/core"
import { DateTime } from "effect"
import { seal } from "./BankSeal.ts"

/** The names that a bank gives, no two alike, neither here nor at a bank of another name. */
export interface BankNames {
  /** The id of a payment on the PIX network: of one that is received, or of one that this bank sends. */
  readonly endToEndId: (at: number, side: "received" | "sent") => string
  /** The id of a return on the PIX network. */
  readonly returnId: (at: number) => string
  /** An id of the bank's own. */
  readonly ownId: () => string
  /** What nobody was ever named. */
  readonly nobody: () => string
  /** The copy-and-paste code of a charge. */
  readonly code: (reference: string, amount: Centavos) => string
}

export const makeNames = (bank: string): BankNames => {
  const mark = Number.parseInt(seal(bank, new Uint8Array()).slice(0, 8), 16)
  const ispb = String(10_000_000 + (mark % 80_000_000))
  const participant = (mark % 60_466_176).toString(36).padStart(5, "0")
  let made = 0
  const next = (): string => {
    made += 1
    return made.toString(36).padStart(6, "0")
  }
  const networkId = (letter: "E" | "D", from: string, at: number): string =>
    `${letter}${from}${minuteOf(at)}${participant}${next()}`

  return {
    endToEndId: (at, side) => networkId("E", side === "sent" ? ispb : payersBank, at),
    returnId: (at) => networkId("D", ispb, at),
    ownId: () => `${bank}-${next()}`,
    nobody: () => `00000000000070008000${hexOf(mark)}${hexOf((made += 1))}`,
    code: (reference, amount) => codeOf(`${ispb}.example.com/qr/v2/${reference}`, amount)
  }
}

/** The bank of all payers; no participant of the PIX has this number. */
const payersBank = "99999999"

/** Six hexadecimal digits. */
const hexOf = (number: number): string => (number & 0xffffff).toString(16).padStart(6, "0")

const minuteOf = (at: number): string =>
  DateTime.formatIso(DateTime.makeUnsafe(at)).slice(0, 16).replace(/[-T:]/g, "")

/** Like `BrCode.build` for a dynamic code, without its checks: every charge of every seed has one. */
const codeOf = (location: string, amount: Centavos): string => {
  const account = `0014br.gov.bcb.pix${object("25", location)}`
  const text =
    `000201010212${object("26", account)}520400005303986${object("54", Money.toBrlString(amount))}` +
    "5802BR5913LOJA DE TESTE6009SAO PAULO62070503***6304"
  return text + BrCode.crc16(text)
}

const object = (id: string, value: string): string =>
  `${id}${String(value.length).padStart(2, "0")}${value}`
