const digitsOf = (text: string): ReadonlyArray<number> =>
  // Letters count by their distance from the character 0 (CNPJ since 2026).
  Array.from(text, (character) => character.charCodeAt(0) - 48)

/** The check digit modulo 11 of what stands before it; weights count up from the right to `weightMax`. */
const checkDigit = (digits: ReadonlyArray<number>, weightMax: number): number => {
  const sum = digits
    .toReversed()
    .reduce((total, digit, index) => total + digit * (2 + (index % (weightMax - 1))), 0)
  return sum % 11 < 2 ? 0 : 11 - (sum % 11)
}

const hasCheckDigits = (text: string, weightMax: number): boolean => {
  const digits = digitsOf(text)
  const body = digits.length - 2
  return [body, body + 1].every((at) => checkDigit(digits.slice(0, at), weightMax) === digits[at])
}

const isCpf = (text: string): boolean =>
  /^(?!(\d)\1{10})\d{11}$/.test(text) && hasCheckDigits(text, 11)

const isCnpj = (text: string): boolean =>
  /^(?!(.)\1{13})[\dA-Z]{12}\d{2}$/.test(text) && hasCheckDigits(text, 9)

export const isDocument = (text: string): boolean => isCpf(text) || isCnpj(text)

export const pixKeyTypes = ["cpf", "cnpj", "email", "phone", "random"] as const
export type PixKeyType = (typeof pixKeyTypes)[number]

const isKey: Readonly<Record<PixKeyType, (text: string) => boolean>> = {
  cpf: isCpf,
  cnpj: isCnpj,
  email: (text) => /^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(text),
  phone: (text) => /^\+55[1-9]\d9\d{8}$/.test(text),
  random: (text) => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text)
}

/** Whether a text is a key of this type, as the directory of Pix keys writes it. */
export const isPixKey = (type: PixKeyType, text: string): boolean => isKey[type](text)
