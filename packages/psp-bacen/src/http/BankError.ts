import { Document } from "@pagora/core"
import { Result, Schema } from "effect"

/** An error in a bank's own words. */
export interface BankError {
  /** For programs: a word of the bank. */
  readonly code: string
  /** For people. Documents in it are masked. */
  readonly message: string
  /** Which of the shapes it came in. `gateway` is what stands before some APIs, and knows nothing of what is behind it. */
  readonly shape: "problem" | "efi" | "interBanking" | "bb" | "gateway" | "oauth"
}

const text = Schema.String
const optional = Schema.optionalKey(text)
const words = Schema.Union([Schema.String, Schema.Number])

/** RFC 7807, as the Central Bank's file has it (`Problema`); Inter sends it without `type`. */
const Problem = Schema.Struct({
  type: optional,
  title: text,
  detail: optional,
  violacoes: Schema.optionalKey(
    Schema.Array(Schema.Struct({ razao: optional, propriedade: optional }))
  )
})
const Efi = Schema.Struct({ nome: text, mensagem: text })
const InterBanking = Schema.Struct({
  erro: Schema.Struct({
    mensagem: text,
    mensagemDetalhe: optional,
    codigo: Schema.optionalKey(words)
  })
})
const Bb = Schema.Struct({
  erros: Schema.NonEmptyArray(
    Schema.Struct({ codigo: Schema.optionalKey(words), mensagem: Schema.optionalKey(text) })
  )
})
const Gateway = Schema.Struct({ statusCode: words, error: text, message: optional })
const OAuth = Schema.Struct({ error: text, error_description: optional })

/** Reads an error in whichever of the shapes of the banks it is; undefined where it is in none, such as HTML or SOAP. */
export const readBankError = (json: unknown): BankError | undefined => {
  for (const reader of readers) {
    const error = reader(json)
    if (error !== undefined) return { ...error, message: bounded(error.message) }
  }
  return undefined
}

const reading =
  <A>(schema: Schema.Codec<A, unknown>, tell: (value: A) => BankError) =>
  (json: unknown): BankError | undefined =>
    Result.getOrUndefined(Result.map(Schema.decodeUnknownResult(schema)(json), tell))

const readers: ReadonlyArray<(json: unknown) => BankError | undefined> = [
  reading(Problem, ({ detail, title, type = "", violacoes = [] }) => ({
    shape: "problem",
    code: lastOf(type) ?? title,
    message: [
      detail ?? title,
      ...violacoes.map(({ propriedade, razao }) => `${propriedade ?? ""}: ${razao ?? ""}`)
    ].join(" ")
  })),
  reading(Efi, ({ mensagem, nome }) => ({ shape: "efi", code: nome, message: mensagem })),
  reading(InterBanking, ({ erro }) => ({
    shape: "interBanking",
    code: String(erro.codigo ?? "other"),
    message: `${erro.mensagem} ${erro.mensagemDetalhe ?? ""}`.trim()
  })),
  reading(Bb, ({ erros: [first] }) => ({
    shape: "bb",
    code: String(first.codigo ?? "other"),
    message: first.mensagem ?? ""
  })),
  reading(Gateway, ({ error, message }) => ({
    shape: "gateway",
    code: error,
    message: message ?? error
  })),
  reading(OAuth, ({ error, error_description }) => ({
    shape: "oauth",
    code: error,
    message: error_description ?? error
  }))
]

/** `…/error/CobNaoEncontrado`: what stands last is the kind. */
const lastOf = (type: string): string | undefined => /([A-Za-z]+)\/?$/.exec(type)?.[1]

const messageMax = 300

const bounded = (message: string): string =>
  Document.maskAll(message).replaceAll(/\s+/g, " ").slice(0, messageMax)
