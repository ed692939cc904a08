import { assert, describe, it } from "@effect/vitest"
import type { LogEntry, PspFinding, PspShape } from "@pagora/core"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { tellPspFindings } from "../../src/operator/PspChecks.ts"
import { PspCredentialId } from "../../src/kernel/Ids.ts"
import { PspDirectory } from "../../src/ports/Psp.ts"
import { bank, bankPsp, until, withPagora } from "../world/Embedding.test-data.ts"

/** What a service says after it has started with a bank that looks at itself like this, and that it serves. */
const toldAtStart = async (check: NonNullable<PspShape["check"]>, count: number) => {
  const entries: Array<LogEntry> = []
  const psp = { default: bank, psps: { [bank]: { ...bankPsp, check } } }
  const told = () => entries.filter(({ annotations }) => annotations["psp"] === bank)
  await withPagora({ psp, logger: (entry) => void entries.push(entry) }, async (pagora) => {
    await pagora.accounts.create({ name: "Loja" })
    await until(() => told().length >= count)
  })
  return told()
}

describe("what a PSP finds when it looks at itself, at a start", () => {
  it("is told by how bad it is, and what is well is not", async () => {
    const findings: ReadonlyArray<PspFinding> = [
      { name: "scopes", state: "ok", message: "All scopes are granted." },
      { name: "certificate", state: "warning", message: "It ends in 6 days." },
      { name: "webhook", state: "failed", message: "No address is registered." }
    ]
    const told = await toldAtStart(() => Effect.succeed(findings), 2)
    assert.deepStrictEqual(
      told.map(({ annotations, level, message }) => [level, message, annotations]),
      [
        [
          "WARN",
          "A PSP is not set up as it should be; it works.",
          { psp: bank, check: "certificate", found: "It ends in 6 days." }
        ],
        [
          "ERROR",
          "A PSP is not set up: what this is for does not work.",
          { psp: bank, check: "webhook", found: "No address is registered." }
        ]
      ]
    )
  })

  it("stops nothing where it breaks down", async () => {
    const broken = () => Effect.die(new Error("no route to the bank"))
    const told = await toldAtStart(broken, 2)
    assert.deepStrictEqual(
      told.map(({ level, message }) => [level, message]),
      [
        ["WARN", "The check of a PSP broke down."],
        ["WARN", "A PSP is not set up as it should be; it works."]
      ]
    )
    assert.match(String(told[1]?.annotations["found"]), /^The check broke down/)
  })
})

it.effect("a PSP that does not come to the end of its check is told of after 30 seconds", () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ message }) => void lines.push(String(message)))
  const id = PspCredentialId.make(bank)
  const directory = {
    default: id,
    all: [id],
    find: () => ({ ...bankPsp, check: () => Effect.never })
  }
  return Effect.gen(function* () {
    const telling = yield* tellPspFindings
    yield* TestClock.adjust("29 seconds")
    assert.deepStrictEqual(lines, [])
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(telling)
    assert.deepStrictEqual(lines, ["A PSP is not set up as it should be; it works."])
  }).pipe(
    Effect.scoped,
    Effect.provideService(PspDirectory, directory),
    Effect.provide(Logger.layer([logger]))
  )
})
