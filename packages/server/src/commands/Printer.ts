import { Context, Effect, Stdio, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import type { Column, Field, TableStyle } from "./Table.ts"
import { record, table } from "./Table.ts"

interface StandardStreams {
  readonly stdout: NodeJS.WritableStream
  readonly stderr: NodeJS.WritableStream
}

/** Where commands write: the streams of the process, unless told. */
export const Streams: Context.Reference<StandardStreams> = Context.Reference(
  "@pagora/server/commands/Streams",
  { defaultValue: (): StandardStreams => process }
)

/** Writes to standard output and answers whether anybody still reads it. */
export const print = (text: string): Effect.Effect<boolean> =>
  Effect.flatMap(Streams, ({ stdout }) => write(stdout, text))

/** A remark for a person beside the answer, on standard error. */
export const remark = (text: string): Effect.Effect<void> =>
  Effect.flatMap(Streams, ({ stderr }) => Effect.asVoid(write(stderr, `${text}\n`)))

const write = (stream: NodeJS.WritableStream, text: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    stream.write(text, (error) => resume(Effect.succeed(error === null || error === undefined)))
  })

/** `| head -1` reads what it wants and goes: no failure, and nothing more to write. */
export const letReadersGo = (): void => {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error
    })
  }
}

/** How tables look where standard output goes. */
const tableStyle = Effect.gen(function* () {
  const { canColor } = yield* TerminalCapabilities.TerminalCapabilities
  const { stdoutIsTerminal } = yield* Stdio.Stdio
  const columns = yield* (yield* Terminal.Terminal).columns
  const style: TableStyle = {
    ...((yield* stdoutIsTerminal) && columns > 0 ? { width: columns } : {}),
    ...(canColor ? { title: (text: string) => `\u001b[1m${text}\u001b[0m` } : {})
  }
  return style
})

/** The body of an answer as one JSON document. */
export const printJson = (body: unknown) => print(`${JSON.stringify(body)}\n`)

export const printTable = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>) =>
  Effect.flatMap(tableStyle, (style) => print(table(columns, rows, style)))

/** One thing for a program, or for a person. */
export const printThing = <A>(
  thing: A,
  fields: (thing: A) => ReadonlyArray<Field>,
  { json: isJson }: { readonly json: boolean }
) =>
  isJson
    ? printJson(thing)
    : Effect.flatMap(tableStyle, (style) => print(record(fields(thing), style)))
