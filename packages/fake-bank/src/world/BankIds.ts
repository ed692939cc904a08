import { randomBytes } from "node:crypto"

/** Makes what the bank and the PIX network name: the same for the same seed. */
export interface BankIds {
  /** So many letters and digits. */
  readonly text: (length: number) => string
  readonly uuid: () => string
  /** An end-to-end id (`E`) or the id of a return (`D`): who sends, when, and what is unlike all others (BACEN, Manual de Padrões). */
  readonly network: (letter: "E" | "D", ispb: string, at: Date) => string
}

const letters = "0123456789abcdefghijklmnopqrstuvwxyz"

export const makeBankIds = (seed?: number): BankIds => {
  const draw = seed === undefined ? byChance : fromSeed(seed)
  const text = (length: number) =>
    Array.from({ length }, () => letters[draw() % letters.length]).join("")
  const hex = (length: number) => Array.from({ length }, () => (draw() % 16).toString(16)).join("")
  return {
    text,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    network: (letter, ispb, at) => {
      const minute = at.toISOString().replace(/\D/g, "").slice(0, 12)
      return `${letter}${ispb}${minute}${text(11)}`
    }
  }
}

const byChance = () => randomBytes(4).readUInt32BE()

/** Mulberry32: small, and good enough for names. */
const fromSeed = (seed: number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}
