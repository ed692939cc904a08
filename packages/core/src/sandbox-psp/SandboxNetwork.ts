import type { DateTime } from "effect"
import { Effect, Random, Result } from "effect"
import * as Document from "../kernel/Document.ts"
import * as EndToEndId from "../kernel/EndToEndId.ts"

/** The only other bank there is; no participant of the Pix has this number. */
const ispb = "99999999"

/** Whoever writes it must see to it that it is not known already: `endToEndKey`. */
export const newEndToEndId = (minute: DateTime.Utc) =>
  Effect.map(suffix, (suffix) => Result.getOrThrow(EndToEndId.make({ ispb, minute, suffix })))

/** Likewise: `returnIdKey`. */
export const newReturnId = (minute: DateTime.Utc) =>
  Effect.map(suffix, (suffix) => Result.getOrThrow(EndToEndId.makeReturn({ ispb, minute, suffix })))

/** No two payments, received or sent, have one end-to-end id. */
export const endToEndKey = (endToEndId: string) => ({
  space: "sandbox_end_to_end_id",
  key: endToEndId
})

/** No two returns, given or received, have one id. */
export const returnIdKey = (returnId: string) => ({ space: "sandbox_return_id", key: returnId })

/** Somebody with this document, or anybody. */
export const aPerson = Effect.fnUntraced(function* (known: Document.Document | undefined) {
  const person = yield* Random.choice(people)
  const document = known ?? person.document
  const name = Document.kindOf(document) === "cnpj" ? companyName : person.name
  return { name, document }
})

const cpf = (digits: string) => Result.getOrThrow(Document.parseCpf(digits))

/** Invented, with numbers that are used in examples all over Brazil. */
const people = [
  { name: "Ana Beatriz Souza", document: cpf("12345678909") },
  { name: "João Pedro Lima", document: cpf("11144477735") },
  { name: "Maria Clara Oliveira", document: cpf("52998224725") }
] as const

const companyName = "Empresa Fictícia Ltda"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

const suffix = Effect.map(
  Effect.replicateEffect(Random.nextIntBetween(0, letters.length, { halfOpen: true }), 11),
  (indices) => indices.map((index) => letters.charAt(index)).join("")
)
