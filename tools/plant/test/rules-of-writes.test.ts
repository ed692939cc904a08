import { globSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { guards, plants } from "../src/Catalogue.ts"
import type { Edit } from "../src/Plant.ts"
import { inCore } from "../src/Plant.ts"
import { read, root } from "./Workspace.test-data.ts"

// What a write expects counts only in a race, a name or a key only the second time, a claim and a limit only at their bound. Without an edit
// that takes such a rule away nobody would know whether any test ever meets it.

const core = "packages/core/src/"
const edits = [...plants, ...guards].flatMap((fault): ReadonlyArray<Edit> => fault.edits ?? [])

/** The rules that stand in a write. */
const rules = new RegExp(
  [
    // What was read is still so: a row of a kind, whoever acts, what another unit expects.
    String.raw`\bexpectation\(\w+Kind\b`,
    String.raw`\bexpect(?:ations|s)Of\((?!\{)`,
    String.raw`\w+\.unit\.expects`,
    // One of a name, and one of an Idempotency-Key.
    String.raw`\bkeys:(?= \[|\n)`,
    String.raw`\bbegun\(key\b`,
    // What is claimed, what claims leave, and how many there may be.
    String.raw`\bliens:(?= \[)`,
    String.raw`\bspend\(available\b`,
    String.raw`\badd: 1n, max:`
  ].join("|"),
  "g"
)

/** Made in one place, and used in another: what takes it away stands there. */
const usedIn: Readonly<Record<string, string>> = {
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

/** No test can meet it: decision 0120 says why. */
const unmet = new Set([
  "psp-reports/PspReturns.ts: expects: [...(unit.expects ?? []), ...taking.unit.expects],",
  'psp-reports/ReportWriter.ts: keys: [{ space: "e2e", key: payment.endToEndId, holder: made.deposit.id }],',
  "psp-reports/ReturnBooker.ts: keys: [{ ...pspReturnKey(money), holder: money.id }],"
])

interface Catalogue {
  readonly edits: ReadonlyArray<Edit>
  readonly usedIn: Readonly<Record<string, string>>
  readonly unmet: ReadonlySet<string>
}

/** Whether an edit is over a place of a text, and does not put the same there again. */
const takesAway =
  (text: string, index: number) =>
  ({ find, replace }: Edit): boolean => {
    const from = text.indexOf(find)
    const end = from + find.length
    const line = text.indexOf("\n", index)
    return from <= index && index < end && !replace.includes(text.slice(index, Math.min(line, end)))
  }

/** What nobody takes away in a file. */
const holesIn = (path: string, text: string, catalogue: Catalogue): ReadonlyArray<string> => {
  const inFile = catalogue.edits.filter(({ file }) => file === `${core}${path}`)
  return [...text.matchAll(rules)].flatMap(({ index }) => {
    const line = text.slice(text.lastIndexOf("\n", index) + 1, text.indexOf("\n", index))
    const place = `${path}: ${line.trim()}`
    const use = catalogue.usedIn[place]
    const isTaken =
      use === undefined
        ? inFile.some(takesAway(text, index))
        : catalogue.edits.some(({ find, replace }) => find.includes(use) && !replace.includes(use))
    return isTaken || catalogue.unmet.has(place) ? [] : [place]
  })
}

/** The sandbox is a bank: what it writes is none of ours. */
const sources = globSync("**/*.ts", {
  cwd: `${root}/${core}`,
  exclude: ["**/*.test.ts", "**/*.test-data.ts", "sandbox-psp/**"]
}).map((path) => path.replaceAll("\\", "/"))

describe("a rule of a write", () => {
  it("is taken away by an edit of the catalogue", () => {
    const holes = sources.flatMap((path) =>
      holesIn(path, read(`${core}${path}`), { edits, usedIn, unmet })
    )
    assert.deepStrictEqual(holes, [])
  })

  it("is found where it stands, and nothing is said of what is gone", () => {
    const places = sources.flatMap((path) =>
      holesIn(path, read(`${core}${path}`), { edits: [], usedIn: {}, unmet: new Set() })
    )
    assert.isAtLeast(places.length, 85)
    for (const known of [...Object.keys(usedIn), ...unmet]) assert.include(places, known)
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
    const holes = holesIn("a.ts", `${text}\n`, { edits: planted, usedIn: uses, unmet: new Set() })
    assert.deepStrictEqual(holes, [`a.ts: ${one}`])
  })

  it.each([
    "keys: [{ ...key, holder: id }]",
    "keys:",
    "...begun(key, id, null)",
    "liens: [{ wallet, delta }]",
    "postings: [spend(available(wallet), amount)]",
    "counters: [{ key: counterOf(account), add: 1n, max: projectsMax }]"
  ])("is one, too: %s", (line) => {
    const holes = holesIn("a.ts", `${line}\n`, { edits: [], usedIn: {}, unmet: new Set() })
    assert.deepStrictEqual(holes, [`a.ts: ${line}`])
  })
})
