import { Effect, FileSystem, Redacted, Schema, Stdio, Stream } from "effect"
import { CommandFailed } from "../commands/CommandFailed.ts"
import { keptVariables } from "../serve/BankProviders.ts"
import type { BankSettings } from "../serve/BankConfig.ts"
import { environmentFaults } from "../serve/BankConfig.ts"
import { Misconfigured, readBank } from "../serve/Settings.ts"

/** What a PSP is made of, as the operator's API takes it. */
export interface KeptSettings {
  readonly provider: string | undefined
  readonly environment: "production" | "sandbox" | undefined
  readonly settings: Readonly<Record<string, string>>
}

const failed = (message: string) => new CommandFailed({ message })

const decode = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
)

/** The settings of a file, of standard input (`-`), or of the variables `PAGORA_BANK_…`; never of an argument: everybody sees those. */
export const keptSettings = (
  source: string | undefined
): Effect.Effect<KeptSettings, CommandFailed, FileSystem.FileSystem | Stdio.Stdio> =>
  source === undefined ? ofEnvironment : ofSource(source)

const ofSource = Effect.fnUntraced(function* (
  source: string
): Effect.fn.Return<KeptSettings, CommandFailed, FileSystem.FileSystem | Stdio.Stdio> {
  const name = source === "-" ? "Standard input" : source
  const bytes =
    source === "-" ? (yield* Stdio.Stdio).stdin : (yield* FileSystem.FileSystem).stream(source)
  const text = yield* Effect.mapError(Stream.mkString(Stream.decodeText(bytes)), () =>
    failed(`${name} cannot be read: check its path and its owner.`)
  )
  // What is wrong with it would quote it.
  const settings = yield* Effect.mapError(decode(text), () =>
    failed(
      `${name} has no settings: it must be one JSON object of texts, such as {"pixKey": "…", "clientId": "…"}.`
    )
  )
  return { provider: undefined, environment: undefined, settings }
})

const ofEnvironment: Effect.Effect<KeptSettings, CommandFailed, FileSystem.FileSystem> = Effect.gen(
  function* () {
    const values = yield* Effect.mapError(readBank(process.env), ({ message }) => failed(message))
    if (values.bank === undefined)
      return yield* failed(
        "There are no settings: give --provider and a file of them with --settings (- is standard input), or set PAGORA_BANK and the variables that begin with it."
      )
    const stray = environmentFaults({ ...values, bank: values.bank })
    if (stray.length > 0) return yield* failed(new Misconfigured({ faults: stray }).message)
    return {
      provider: values.bank,
      environment: values.bankEnvironment,
      settings: { ...plain(values), ...(yield* ofFiles(values)) }
    }
  }
)

/** What the environment says itself, by the names under which it is kept. */
const plain = (values: BankSettings): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...keptVariables].flatMap(([setting, variable]) => {
      const value: unknown = values[variable]
      if (value === undefined) return []
      const text = Redacted.isRedacted(value) ? Redacted.value(value) : value
      const told = Array.isArray(text) ? text.join(",") : String(text)
      return told === "" ? [] : [[setting, told]]
    })
  )

/** What it names files of. What is kept is what they have now: a change of them is taken up by `rotate`. */
const ofFiles = Effect.fnUntraced(function* (values: BankSettings) {
  const files = yield* FileSystem.FileSystem
  const unread = (variable: string) => () =>
    failed(`${variable} names a file that cannot be read: check its path and its owner.`)
  const text = (path: string | undefined, variable: string) =>
    path === undefined
      ? Effect.succeed("")
      : Effect.mapError(files.readFileString(path), unread(variable))
  const { bankCertificateFile: file, bankCertificateKeyFile: keyFile } = values
  const isP12 = file !== undefined && keyFile === undefined && /\.(p12|pfx)$/iu.test(file)
  const name = "PAGORA_BANK_CERTIFICATE_FILE"
  const read = {
    ...(isP12
      ? {
          certificateP12: Buffer.from(
            yield* Effect.mapError(files.readFile(file), unread(name))
          ).toString("base64")
        }
      : {
          certificatePem: yield* text(file, name),
          certificateKeyPem: yield* text(keyFile, "PAGORA_BANK_CERTIFICATE_KEY_FILE")
        }),
    authorityPem: yield* text(values.bankAuthorityFile, "PAGORA_BANK_AUTHORITY_FILE"),
    signingKeysPem: yield* text(values.bankSigningKeysFile, "PAGORA_BANK_SIGNING_KEYS_FILE")
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== ""))
})
