import type { OperatorClient, OperatorClientOptions } from "@pagora/core/client"
import { Config, Effect, FileSystem, Option, Redacted, Result } from "effect"
import { Flag } from "effect/cli"
import { lostCall, refusedCall } from "./CallFailures.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { stoppedIsUndone } from "./Presentation.ts"

const devUrl = "http://127.0.0.1:4242/operator/v1"

/** An address without its last slash, or what is wrong with it. */
export const readUrl = (text: string): Result.Result<string, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain =
    url !== undefined &&
    /^https?:$/u.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === ""
  return isPlain
    ? Result.succeed(text.replace(/\/+$/u, ""))
    : Result.fail(`an address without credentials, such as ${devUrl}`)
}

/** Reads a flag's text by a rule; what breaks it is a wrong use of the command. */
export const reading =
  <A>(read: (text: string) => Result.Result<A, string>) =>
  (flag: Flag.Flag<string>): Flag.Flag<A> =>
    flag.pipe(
      Flag.filterMap(
        (text) => Result.getSuccess(read(text)),
        (text) => Result.match(read(text), { onFailure: (why) => why, onSuccess: () => "" })
      )
    )

/** A variable of the environment; one that is empty is not there. */
export const fromEnvironment = (name: string, otherwise: string): Effect.Effect<string> =>
  Config.option(Config.String(name)).pipe(
    Effect.orDie,
    Effect.map(Option.filter((value) => value.trim() !== "")),
    Effect.map(Option.getOrElse(() => otherwise))
  )

/** Where the operator API is and what opens it. */
export const connectionFlags = {
  operatorUrl: Flag.String("operator-url").pipe(
    Flag.withMetavar("url"),
    Flag.withDescription(
      `Address of the operator API; else PAGORA_OPERATOR_URL, else ${devUrl}, where pagora dev is`
    ),
    Flag.withDefault(fromEnvironment("PAGORA_OPERATOR_URL", devUrl)),
    reading(readUrl)
  ),
  operatorKeyFile: Flag.String("operator-key-file").pipe(
    Flag.withMetavar("file"),
    Flag.withDescription(
      "File with the operator key; else PAGORA_OPERATOR_KEY, else the file that PAGORA_OPERATOR_KEY_FILE names"
    ),
    Flag.optional
  )
}

export const jsonFlag = Flag.Boolean("json").pipe(
  Flag.withDescription("For programs: print the JSON of the API's answer"),
  Flag.withDefault(false)
)

export const idempotencyKeyFlag = Flag.String("idempotency-key").pipe(
  Flag.withMetavar("key"),
  Flag.withDescription("With the same key the same command is done once in 24 hours"),
  Flag.optional
)

export interface Connection {
  readonly operatorUrl: string
  readonly operatorKeyFile: Option.Option<string>
}

const keyInFile = Effect.fnUntraced(function* (path: string) {
  const text = yield* Effect.mapError(
    (yield* FileSystem.FileSystem).readFileString(path),
    ({ reason }) =>
      new CommandFailed({
        message:
          reason._tag === "NotFound"
            ? `There is no key file ${path}. Name the file that holds the operator key.`
            : `The key file ${path} cannot be read. Check that it is a file and its permissions.`
      })
  )
  if (text.trim() === "")
    return yield* new CommandFailed({ message: `The key file ${path} is empty.` })
  return Redacted.make(text.trim())
})

const noKey = new CommandFailed({
  message:
    "There is no operator key. Set PAGORA_OPERATOR_KEY, or give its file with --operator-key-file (`pagora dev` prints its key; with --data DIR it is DIR/operator-key)."
})

const environmentKey = Config.all({
  key: Config.option(Config.Redacted("PAGORA_OPERATOR_KEY")),
  file: Config.option(Config.String("PAGORA_OPERATOR_KEY_FILE"))
}).pipe(
  Effect.mapError(() => noKey),
  Effect.flatMap(({ file, key }) => {
    const value = Option.filter(key, (one) => Redacted.value(one).trim() !== "")
    if (Option.isSome(value)) return Effect.succeed(value.value)
    return Option.isSome(file) && file.value !== "" ? keyInFile(file.value) : noKey
  })
)

/** The key of the file that was named, else of the environment. It is never an argument: everybody sees those (decision 0043). */
export const operatorKeyOf = ({ operatorKeyFile }: Pick<Connection, "operatorKeyFile">) =>
  Option.match(operatorKeyFile, { onNone: () => environmentKey, onSome: keyInFile }).pipe(
    Effect.filterOrFail(
      (key) => /^[\x21-\x7e]+$/u.test(Redacted.value(key)),
      () => new CommandFailed({ message: brokenKey })
    )
  )

const brokenKey =
  "The operator key has a space, a line break or another character that no key has. Look where it was copied from."

/** Loaded when it is needed: a command that shows its help does without. */
const client = Effect.promise(() => import("@pagora/core/client"))

/** Makes one call or several; what the operator API refuses is one sentence for a person. */
export type AskOperator = <A>(
  call: (ask: OperatorClient) => Promise<A>
) => Effect.Effect<A, CommandFailed>

/** Asks the operator API of these flags. */
export const operatorOf = Effect.fnUntraced(function* (
  connection: Connection,
  options: Pick<OperatorClientOptions, "timeoutMillis"> = {}
) {
  const { operatorUrl } = connection
  const operatorKey = Redacted.value(yield* operatorKeyOf(connection))
  return yield* operatorWith({ ...options, operatorUrl, operatorKey })
})

/** Asks an operator API. */
export const operatorWith = Effect.fnUntraced(function* (options: OperatorClientOptions) {
  const { operatorUrl } = options
  const { createOperatorClient, PagoraApiError, PagoraConnectionError } = yield* client
  const operator = createOperatorClient(options)

  const sentenceOf = (cause: unknown): string | undefined => {
    if (cause instanceof PagoraApiError) return refusedCall(cause, { operatorUrl })
    if (!(cause instanceof PagoraConnectionError))
      return cause instanceof TypeError ? cause.message : undefined
    const { idempotencyKey: key } = cause
    return lostCall(cause, { operatorUrl, ...(key === undefined ? {} : { key }) })
  }

  const ask: AskOperator = (call) =>
    Effect.tryPromise({ try: () => call(operator), catch: (cause) => cause }).pipe(
      Effect.catch((cause) => {
        const message = sentenceOf(cause)
        return message === undefined ? Effect.die(cause) : new CommandFailed({ message })
      }),
      stoppedIsUndone
    )
  return ask
})

/** What of a POST's options was given. */
export const keyed = (key: Option.Option<string>) =>
  Option.match(key, {
    onNone: () => ({}),
    onSome: (idempotencyKey) => ({ options: { idempotencyKey } })
  })
