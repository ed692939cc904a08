import type { ConformanceReport, Outcome } from "@pagora/testkit/conformance"
import { Clock, Effect, Option, Stdio } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "./CommandFailed.ts"
import type { Deployment } from "./ConformanceFacts.ts"
import { anyNumber } from "./AnyNumber.ts"
import { deploymentOf, factsFlags } from "./ConformanceFacts.ts"
import { confirm, yesFlag } from "./Confirmation.ts"
import { connectionFlags, jsonFlag, operatorWith } from "./OperatorConnection.ts"
import { stoppedIsUndone } from "./Presentation.ts"
import { print, printJson, printTable, remark, Streams } from "./Printer.ts"
import { printable } from "./Table.ts"

const missingKit = new CommandFailed({
  message:
    "The conformance kit is a package of its own. Install it with `npm install --save-dev @pagora/testkit`, then run the same command again."
})

/** An optional peer: who runs a service in production does without it (decision 0044). */
const loadKit = Effect.tryPromise({
  try: () => import("@pagora/testkit/conformance"),
  catch: (cause) => cause
}).pipe(
  Effect.catch((cause) =>
    cause instanceof Error && /@pagora\/testkit/u.test(cause.message)
      ? missingKit
      : Effect.die(cause)
  )
)

/** Whether the sandbox PSP runs there: without it, less can be checked, and the money may be real. */
const hasSandbox = ({ operatorKey, sandboxUrl }: Deployment) =>
  Effect.tryPromise(async (signal) => {
    const headers = { authorization: `Bearer ${operatorKey}` }
    const { body, status } = await fetch(`${sandboxUrl}/faults`, {
      headers,
      redirect: "manual",
      signal
    })
    await body?.cancel()
    return status === 200
  }).pipe(Effect.orElseSucceed(() => false))

/** A wrong address or key is one sentence, not a failure of every check. */
const reach = Effect.fnUntraced(function* ({ operatorKey, operatorUrl }: Deployment) {
  const operator = yield* operatorWith({ operatorUrl, operatorKey })
  yield* operator((ask) => ask("accounts", "list", { query: { limit: 1 } }))
})

const remarkMillis = 10_000

/** Tells how far it is: on one line of a terminal, else a line every ten seconds. */
const progress = (total: number, stderr: NodeJS.WritableStream, isTerminal: boolean) => {
  let done = 0
  let failed = 0
  let said = performance.now()
  return (outcome: Outcome): void => {
    done += 1
    if (outcome.outcome === "failed") failed += 1
    const text = `${done} of ${total} checks, ${failed} failed`
    if (isTerminal) stderr.write(`\r${text}${done === total ? "\n" : ""}`)
    else if (performance.now() - said > remarkMillis) {
      said = performance.now()
      stderr.write(`${text}\n`)
    }
  }
}

const flags = {
  ...factsFlags,
  ...connectionFlags,
  sections: Flag.String("section").pipe(
    Flag.withMetavar("name"),
    Flag.withDescription("Only this section, such as charges; once for each"),
    anyNumber
  ),
  concurrency: Flag.Int("concurrency").pipe(
    Flag.filter(
      (count) => count >= 1 && count <= 64,
      () => "a number from 1 to 64"
    ),
    Flag.withDescription("How many checks run at once; 4 unless told"),
    Flag.withDefault(4)
  ),
  receiverHost: Flag.String("receiver-host").pipe(
    Flag.withMetavar("host"),
    Flag.withDescription(
      "Name by which the deployment reaches this machine with webhooks; 127.0.0.1 unless told"
    ),
    Flag.optional
  ),
  yes: yesFlag,
  json: jsonFlag
}

interface Section {
  readonly name: string
  readonly checks: ReadonlyArray<{ readonly title: string }>
}

/** The sections that were named, all of them when none was. */
const chosen = Effect.fnUntraced(function* <A extends Section>(
  sections: ReadonlyArray<A>,
  names: ReadonlyArray<string>
) {
  const unknown = names.find((name) => !sections.some((section) => section.name === name))
  if (unknown !== undefined) {
    const known = sections.map(({ name }) => name).join(", ")
    return yield* new CommandFailed({
      message: `There is no section ${printable(unknown)}. The sections are: ${known}.`
    })
  }
  return names.length === 0 ? sections : sections.filter(({ name }) => names.includes(name))
})

const printReport = Effect.fnUntraced(function* (
  { failed, passed, skipped }: ConformanceReport,
  sections: ReadonlyArray<Section>,
  seconds: number
) {
  const count = (outcomes: ReadonlyArray<Outcome>, { checks }: Section) =>
    String(outcomes.filter(({ check }) => checks.some(({ title }) => title === check)).length)
  yield* printTable<Section>(
    [
      { title: "SECTION", of: ({ name }) => name },
      { title: "PASSED", of: (section) => count(passed, section), isNumber: true },
      { title: "FAILED", of: (section) => count(failed, section), isNumber: true },
      { title: "SKIPPED", of: (section) => count(skipped, section), isNumber: true }
    ],
    sections
  )
  for (const { check, message, rules } of failed) {
    const lines = message.split("\n").map((line) => `  ${printable(line)}\n`)
    yield* print(`\nFAILED ${check} (${rules.join(", ")})\n${lines.join("")}`)
  }
  for (const why of new Set(skipped.map((one) => one.why))) {
    yield* print(`\nSkipped: ${printable(why)}.\n`)
  }
  yield* print(
    `\n${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped in ${seconds} s\n`
  )
})

/** `pagora conformance` */
export const conformanceCommand = Command.make(
  "conformance",
  flags,
  Effect.fnUntraced(function* (options) {
    const kit = yield* loadKit
    const sections = yield* chosen(kit.conformanceSections, options.sections)
    const deployment = yield* deploymentOf(options)
    const { sandboxUrl, ...target } = deployment
    yield* reach(deployment)
    const isSandbox = yield* hasSandbox(deployment)
    if (!isSandbox) {
      yield* confirm(
        `There is no sandbox API at ${sandboxUrl}, so that this may be no test deployment. Make accounts, credentials and adjustments at ${target.operatorUrl} and leave them there?`,
        options.yes
      )
    }
    const { stderrIsTerminal } = yield* Stdio.Stdio
    const total = sections.reduce((sum, { checks }) => sum + checks.length, 0)
    const { stderr } = yield* Streams
    const onResult = progress(total, stderr, yield* stderrIsTerminal)
    const wanted = new Set(sections.flatMap(({ checks }) => checks))
    const started = yield* Clock.currentTimeMillis
    yield* remark(`Checking ${target.baseUrl}: ${total} checks.`)
    const report = yield* Effect.promise(() =>
      kit.conformance(
        {
          ...target,
          ...(isSandbox ? { sandboxUrl } : {}),
          ...Option.match(options.receiverHost, {
            onNone: () => ({}),
            onSome: (receiverHost) => ({ receiverHost })
          })
        },
        { only: (check) => wanted.has(check), concurrency: options.concurrency, onResult }
      )
    ).pipe(stoppedIsUndone)
    const seconds = Math.round(((yield* Clock.currentTimeMillis) - started) / 1000)
    yield* options.json ? printJson(report) : printReport(report, sections, seconds)
    if (report.failed.length > 0) {
      return yield* new CommandFailed({
        message: `${report.failed.length} of ${total} checks failed. Each says above what was expected, what came, and the request as curl.`
      })
    }
  })
).pipe(
  Command.withDescription(
    "Check a running sandbox against the specification, by HTTP alone; ends with 1 when a check fails"
  ),
  Command.withExamples([
    {
      command: "pagora conformance --facts facts.json",
      description: "facts.json: the line that `pagora dev --json --manual` printed"
    },
    { command: "pagora conformance --section charges --section withdrawals" }
  ])
)
