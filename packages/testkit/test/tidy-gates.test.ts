import { assert, describe, it } from "@effect/vitest"
import type { Stability } from "../src/tidy/Stability.ts"
import { tidy } from "../src/tidy/Tidy.ts"
import { core, imports } from "./LayerPlants.test-data.ts"

// As in `gates.test.ts`: each rule is shown a violation, beside the same file done right.

describe("tidy", () => {
  const stability: Stability = {
    module: (name) => (name === "Arbitrary" ? "unstable" : "stable"),
    member: (_, name) => (name === "Cookie" ? "unstable" : "stable")
  }
  const service = `export class Charges extends Context.Service<Charges, {}>()("Charges") {}\n`
  const roomOf = (path: string) => (path.startsWith(core) ? path.split("/").at(-2) : undefined)
  /** The page with the rooms of these files in the order of the files, each once. */
  const pageOf = (rooms: ReadonlyArray<string | undefined>) => ({
    path: "docs/ARCHITECTURE.md",
    text: `# A\n\n## Code map\n\n${rooms.map((room, index) => `${index + 1}. **\`${room}/\`** has it.\n`).join("")}\n## B\n`
  })
  const find = (path: string, text: string) => {
    const files = [
      { path: `${core}/charges/Charges.ts`, text: service },
      { path, text }
    ]
    const rooms = new Set(
      files.map((file) => roomOf(file.path)).filter((room) => room !== undefined)
    )
    return tidy([...files, pageOf([...rooms])], stability)
  }

  // Split, so that this file is not a finding itself.
  const note = ["// TO", "DO: later\n"].join("")
  const machine = ["", "home", "ana", "pagora"].join("/")
  const test = (modifier: string, end = "") => `it.${modifier}("…", () => {})${end}\n`

  it.each([
    ["file-names", "packages/a/src/MoneyUtils.ts", "packages/a/src/Money.ts", "", ""],
    ["file-names", "packages/a/src/types.ts", "packages/a/src/Deliveries.ts", "", ""],
    ["file-names", "packages/a/src/StorageLive.ts", "packages/a/src/Delivery.ts", "", ""],
    ["one-title", "docs/a.md", "docs/a.md", "# A\n\n# B\n", "# A\n\n```sh\n# B\n```\n"],
    ["one-title", "docs/a.md", "docs/a.md", "text\n", "# A\n\n## B\n"],
    ["unfinished-work", "docs/a.md", "docs/a.md", `# A\n${note}`, "# A\nall done\n"],
    ["skipped-tests", "a.test.ts", "a.test.ts", test("skip"), test("skip", " // needs Docker")],
    ["skipped-tests", "a.test.ts", "a.test.ts", test("todo"), `it.skip("a (skipped: b)", c)\n`],
    ["skipped-tests", "a.test.ts", "a.test.ts", test("on" + "ly", " // mine"), test("effect")],
    ["machine-paths", "docs/a.md", "docs/a.md", `# A\ncd ${machine}\n`, "# A\ncd pagora/home/x\n"]
  ])("%s", (rule, dirtyPath, cleanPath, dirty, clean) => {
    assert.deepStrictEqual(
      find(dirtyPath, dirty).map((finding) => [finding.rule, finding.path]),
      [[rule, dirtyPath]]
    )
    assert.deepStrictEqual(find(cleanPath, clean), [])
  })

  it("effect-stability: an unstable module or member below the HTTP ring", () => {
    const uses = `import { type Arbitrary, Schema as S } from "effect"\n\nexport const a = S.Cookie\n`
    const clean = `import { Schema } from "effect"\nexport const a = Schema.Int // not Schema.Cookie\n`
    const found = find(`${core}/charges/Charge.ts`, uses)
    assert.deepStrictEqual(
      found.map(({ rule, line, message }) => [rule, line, message.split(" ")[0]]),
      [
        ["effect-stability", 1, "Arbitrary"],
        ["effect-stability", 3, "Schema.Cookie"]
      ]
    )
    assert.deepStrictEqual(find(`${core}/charges/Charge.ts`, clean), [])
    assert.deepStrictEqual(find(`${core}/http/Routes.ts`, uses), [])
  })

  it("services-stay-above: whatever their names are", () => {
    const text = imports("./Charges.ts")
    for (const below of ["Charge.ts", "Fees.ts", "ChargeEvents.ts", "ChargesApi.ts"]) {
      assert.deepStrictEqual(
        find(`${core}/charges/${below}`, text).map(({ rule, line }) => [rule, line]),
        [["services-stay-above", 1]]
      )
    }
    for (const above of ["ChargesHandlers.ts", "ChargeExpirer.ts"]) {
      const effectful = `import { Effect } from "effect"\n${text}`
      assert.deepStrictEqual(find(`${core}/charges/${above}`, effectful), [])
    }
  })

  describe("rooms-in-order", () => {
    const inOrder = (rooms: ReadonlyArray<string>, files: Readonly<Record<string, string>>) =>
      tidy(
        [pageOf(rooms), ...Object.entries(files).map(([path, text]) => ({ path, text }))],
        stability
      ).map(({ line, message, path, rule }) => [rule, path.replace(`${core}/`, ""), line, message])
    const ledger = `${core}/ledger/Posting.ts`
    const charges = `${core}/charges/Charge.ts`
    const rooms = ["ledger", "charges"]
    const nothing = "export {}\n"

    it.each([
      ["a type", imports("../charges/Charge.ts")],
      ["a value", `import { a } from "../charges/Charge.ts"\nexport const b = a\n`],
      ["a type in place", `export type A = import("../charges/Charge.ts").A\n`],
      ["a name that is handed on", `export * from "../charges/Charge.ts"\n`],
      ["a file of a deeper folder", imports("../charges/deep/Charge.ts")]
    ])("an import upwards: %s", (_, text) => {
      const line = text.split("\n").findIndex((code) => code.includes("charges/")) + 1
      const message = "ledger/ stands below charges/: what both need belongs below both"
      assert.deepStrictEqual(inOrder(rooms, { [ledger]: text, [charges]: nothing }), [
        ["rooms-in-order", "ledger/Posting.ts", line, message]
      ])
    })

    it("an import of what hands everything on", () => {
      for (const name of ["../index.ts", "@pagora/core"]) {
        assert.deepStrictEqual(
          inOrder(rooms, { [ledger]: imports(name), [charges]: nothing }).map(([, path]) => path),
          ["ledger/Posting.ts"]
        )
      }
    })

    it("a folder without a place, and a place without a folder", () => {
      assert.deepStrictEqual(
        inOrder(["charges", "ports"], { [ledger]: nothing, [charges]: nothing }).map(
          ([, path, line]) => [path, line]
        ),
        [
          ["docs/ARCHITECTURE.md", 6],
          // As a path that leads nowhere, too.
          ["docs/ARCHITECTURE.md", 6],
          ["ledger/Posting.ts", 1]
        ]
      )
    })

    it("a room with two places, and a file in no room", () => {
      assert.deepStrictEqual(
        inOrder(["charges", "charges"], { [charges]: nothing, [`${core}/Top.ts`]: nothing }).map(
          ([, path, line]) => [path, line]
        ),
        [
          ["docs/ARCHITECTURE.md", 6],
          ["Top.ts", 1]
        ]
      )
    })

    it("passes imports downwards and within a room, the barrel, and tests", () => {
      assert.deepStrictEqual(
        inOrder(rooms, {
          [ledger]: imports("./LedgerTx.ts") + "// as in ../charges/Charge.ts\n",
          [charges]: imports("../ledger/Posting.ts"),
          [`${core}/index.ts`]: `export * from "./charges/Charge.ts"\n`,
          [`${core}/ledger/Posting.test.ts`]: imports("../charges/Charge.ts"),
          [`${core}/ledger/Posting.test-data.ts`]: imports("../charges/Charge.ts")
        }),
        []
      )
    })
  })
})
