import { globSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { guards, plants } from "../src/Catalogue.ts"
import type { Edit } from "../src/Plant.ts"
import { inCore } from "../src/Plant.ts"
import { read, root } from "./Workspace.test-data.ts"

// What a write expects counts only in a race. Without an edit that takes it away nobody would know whether any test meets that race.

const core = "packages/core/src/"
const edits = [...plants, ...guards].flatMap((fault): ReadonlyArray<Edit> => fault.edits ?? [])

/** Where something expects what was read: a row of a kind, whoever acts, or what another unit expects. */
const expected =
  /\bexpectation\(\w+Kind\b|\bexpectationsOf\((?!\{)|\bexpectsOf\((?!\{)|\w+\.unit\.expects/g

/** Made in one place, and expected in another: what takes it away stands there. */
const expectedIn: Readonly<Record<string, string>> = {
  "blocks/BlockWorker.ts: const expects = [Kind.expectation(BlockKind, current)]":
    "writer.commit({ at, expects, jobs: [ending] })",
  "charges/ChargeWorker.ts: expectation: ({ charge }) => Kind.expectation(ChargeKind, charge),":
    "reconcilable.expectation(loaded)",
  "psp-reports/DefenceSender.ts: const expects = [Kind.expectation(BlockKind, current)]":
    "storage.commit({ at: yield* time.now, expects, jobs: [finish(job)] })",
  "psp-reports/ReportWorker.ts: expectation: (report) => Kind.expectation(PspReportKind, report),":
    "reconcilable.expectation(loaded)",
  "psp-reports/ReturnTaker.ts: expects: expectsOf(standing)":
    "owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)]",
  "returns/ReturnWorker.ts: expectation: (loaded) => Kind.expectation(ReturnKind, loaded),":
    "reconcilable.expectation(loaded)",
  "webhooks/Endpoints.ts: Kind.expectation(RoutingTableKind, table),":
    "].filter(({ id }) => updates.every(({ row }) => row.id !== id)),",
  "webhooks/Endpoints.ts: Kind.expectation(EndpointKind, endpoint)":
    "].filter(({ id }) => updates.every(({ row }) => row.id !== id)),",
  "webhooks/WebhookRecoverer.ts: const expects = [Kind.expectation(EndpointKind, found)]":
    "storage.commit({ at, expects, jobs: [finish] })",
  "withdrawals/PayoutWorker.ts: expectation: ({ withdrawal }) => Kind.expectation(WithdrawalKind, withdrawal),":
    "reconcilable.expectation(loaded)"
}

/** No race meets it: decision 0120 says why. */
const unmet = new Set([
  "psp-reports/PspReturns.ts: expects: [...(unit.expects ?? []), ...taking.unit.expects],"
])

interface Catalogue {
  readonly edits: ReadonlyArray<Edit>
  readonly expectedIn: Readonly<Record<string, string>>
  readonly unmet: ReadonlySet<string>
}

/** What nobody takes away in a file, and what is said of it and is not so. */
const holesIn = (path: string, text: string, catalogue: Catalogue): ReadonlyArray<string> => {
  const taken = catalogue.edits
    .filter(({ file }) => file === `${core}${path}`)
    .map(({ find, replace }) => ({ replace, from: text.indexOf(find), length: find.length }))
  return [...text.matchAll(expected)].flatMap(({ 0: found, index }) => {
    const line = text.slice(0, index).split("\n").length
    const place = `${path}: ${(text.split("\n")[line - 1] ?? "").trim()}`
    if (catalogue.unmet.has(place)) return []
    const use = catalogue.expectedIn[place]
    const isTaken =
      use === undefined
        ? taken.some(
            ({ from, length, replace }) =>
              from <= index && index < from + length && !replace.includes(found)
          )
        : catalogue.edits.some(({ find, replace }) => find.includes(use) && !replace.includes(use))
    return isTaken ? [] : [place]
  })
}

const sources = globSync("**/*.ts", { cwd: `${root}/${core}`, exclude: ["**/*.test.ts"] })

describe("what a write expects", () => {
  it("is taken away by an edit of the catalogue, each alone", () => {
    const holes = sources.flatMap((path) =>
      holesIn(path, read(`${core}${path}`), { edits, expectedIn, unmet })
    )
    assert.deepStrictEqual(holes, [])
  })

  it("is found where it stands, and nothing is said of what is gone", () => {
    const places = sources.flatMap((path) =>
      holesIn(path, read(`${core}${path}`), { edits: [], expectedIn: {}, unmet: new Set() })
    )
    assert.isAtLeast(places.length, 40)
    for (const known of [...Object.keys(expectedIn), ...unmet]) assert.include(places, known)
  })

  const one = "const unit = { expects: [Kind.expectation(ChargeKind, charge)] }"
  const other = "const unit = { expects: expectationsOf(acting) }"
  const taking = (find: string, replace: string) => [inCore("a.ts", find, replace)]
  it.each([
    ["nobody takes it away", one, [], {}],
    ["another file's is taken away", one, [inCore("b.ts", one, "")], {}],
    ["only another is taken away", `${one}\n${other}`, taking(other, ""), {}],
    ["an edit leaves it there", one, taking(one, one.replace("unit", "it")), {}],
    ["it stays where it is used", one, taking(one, ""), { [`a.ts: ${one}`]: "unit.expects" }]
  ])("is told as a hole where %s", (_, text, planted, uses) => {
    const holes = holesIn("a.ts", text, { edits: planted, expectedIn: uses, unmet: new Set() })
    assert.deepStrictEqual(holes, [`a.ts: ${one}`])
  })
})
