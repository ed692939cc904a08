import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import type { Command, HelpDoc } from "effect/cli"
import { CliOutput, Command as Commands } from "effect/cli"

/** The help of a command, as the command line itself shows it. */
const helpOf = (
  root: Command.Command.Any,
  path: ReadonlyArray<string>
): Promise<HelpDoc.HelpDoc> => {
  let found: HelpDoc.HelpDoc | undefined
  const presenter = CliOutput.layerPresenter({
    present: (event) =>
      Effect.sync(() => {
        if (event._tag === "Help") found = event.helpDoc
      })
  })
  const run = Commands.runWith(root as Command.Command<string, unknown>, { version: "0" })
  return run([...path, "--help"]).pipe(
    Effect.provide(Layer.mergeAll(NodeServices.layer, presenter)),
    Effect.map(() => {
      if (found === undefined) throw new Error(`${path.join(" ")} has no help`)
      return found
    }),
    Effect.runPromise
  )
}

const id = "01a1fef2-661f-7000-8a1a-b565a1ea09b0"

/** The words of an example, as a shell would read it up to the first pipe, with an id for all that is filled in. */
const wordsOf = (example: string): ReadonlyArray<string> => {
  const [command = ""] = example.replaceAll(/\$\(.*\)|\$[A-Z]+/g, id).split(" | ")
  return (command.match(/'[^']*'|"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll(/['"]/g, ""))
}

/** With what an example ends where nothing answers. */
export const failureOf = (root: Command.Command.Any, example: string): Promise<unknown> => {
  const [, ...words] = wordsOf(example)
  const env = { PAGORA_OPERATOR_URL: "http://127.0.0.1:1", PAGORA_OPERATOR_KEY: "a key" }
  const silent = CliOutput.layerPresenter({ present: () => Effect.void })
  return Commands.runWith(root as Command.Command<string, unknown>, { version: "0" })(words).pipe(
    Effect.provide(Layer.mergeAll(NodeServices.layer, silent)),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.flip,
    Effect.runPromise
  )
}

const cell = (text: string): string => text.replaceAll("|", String.raw`\|`)

const flagRow = ({ aliases, description, name, required, type }: HelpDoc.FlagDoc): string => {
  const names = [`--${name}`, ...aliases].join(", ")
  const shown = type === "boolean" ? names : `${names} ${type}`
  const about = Option.getOrElse(description, () => "")
  return `| \`${cell(shown)}\` | ${cell(about)}${required ? " (required)" : ""} |`
}

const argumentRow = ({ description, name }: HelpDoc.ArgDoc): string =>
  `| \`<${name}>\` | ${cell(Option.getOrElse(description, () => ""))} |`

const exampleLines = ({ command, description }: HelpDoc.ExampleDoc): ReadonlyArray<string> => [
  ...(description === undefined ? [] : [`# ${description}`]),
  command
]

const checkedBy =
  "its ids are yours; command-line-page.test.ts reads every example as the command does"

const sectionOf = (path: ReadonlyArray<string>, help: HelpDoc.HelpDoc): string => {
  const { args = [], description, examples = [], flags } = help
  const rows = [...args.map(argumentRow), ...flags.map(flagRow)]
  return [
    `### \`pagora ${path.join(" ")}\``,
    `${description}.`,
    ...(rows.length === 0 ? [] : [["| | |", "| --- | --- |", ...rows].join("\n")]),
    `<!-- not run: ${checkedBy} -->`,
    ["```sh", ...examples.flatMap(exampleLines), "```"].join("\n")
  ].join("\n\n")
}

/** A command that does something, with the words that lead to it. */
export interface Leaf {
  readonly path: ReadonlyArray<string>
  readonly help: HelpDoc.HelpDoc
}

/** Every command of the tree that has none below it. */
export const leavesOf = async (
  root: Command.Command.Any,
  command: Command.Command.Any = root,
  path: ReadonlyArray<string> = []
): Promise<ReadonlyArray<Leaf>> => {
  const below = command.subcommands.flatMap(({ commands }) => Array.from(commands))
  if (below.length === 0) return [{ path, help: await helpOf(root, path) }]
  const leaves: Array<Leaf> = []
  for (const one of below) leaves.push(...(await leavesOf(root, one, [...path, one.name])))
  return leaves
}

/** The part of the page that is made of the tree. */
export const pageOf = (leaves: ReadonlyArray<Leaf>): string =>
  `${leaves.map(({ help, path }) => sectionOf(path, help)).join("\n\n")}\n`
