import { assert, describe, it } from "@effect/vitest"
import type { Stability } from "../src/tidy/Stability.ts"
import { tidy } from "../src/tidy/Tidy.ts"

// As in `tidy-gates.test.ts`: each rule about documents is shown a violation, beside the same done right.

const stability: Stability = { module: () => "stable", member: () => "stable" }
const core = "packages/core/src"
const architecture = "docs/ARCHITECTURE.md"

/** What is found in these files, by the rule. */
const find = (rule: string, files: Readonly<Record<string, string>>) =>
  tidy(
    Object.entries(files).map(([path, text]) => ({ path, text })),
    stability
  )
    .filter((finding) => finding.rule === rule)
    .map(({ line, message, path }) => [path, line, message])

describe("paths-exist", () => {
  const files = {
    [`${core}/charges/Charge.ts`]: "export {}\n",
    [`${core}/charges/ChargesApi.ts`]: "export {}\n"
  }
  const inPage = (text: string) =>
    find("paths-exist", { ...files, "docs/a.md": `# A\n\n${text}\n` })

  it.each([
    "`charges/Charges.ts`",
    "`Charges.ts`",
    "`arges/Charge.ts`",
    "`packages/core/charges/Charge.ts`",
    "`packages/core/src/refunds`",
    "`refunds/`",
    "`*Wire.ts`",
    "text with `Charge.ts` and `Gone.ts`"
  ])("%s", (text) => {
    const [, name] = /`([^`]*)`$/.exec(text) ?? []
    assert.deepStrictEqual(inPage(text), [["docs/a.md", 3, `there is no ${name}`]])
  })

  it("passes short and long forms, patterns, what a command makes, and what is no path of ours", () => {
    const right = [
      "charges/Charge.ts",
      "Charge.ts",
      `${core}/charges/`,
      "charges/",
      "*Api.ts",
      "dist/"
    ]
    const others = ["effect/http", "/v2/docs", "application/json", "node:crypto", "a/b", "Charge"]
    const text = [...right, ...others].map((name) => `\`${name}\``).join(" ")
    assert.deepStrictEqual(inPage(`${text}\n\n\`\`\`sh\ncat Gone.ts\n\`\`\``), [])
    assert.deepStrictEqual(find("paths-exist", { "a.ts": "// `Gone.ts`\n" }), [])
  })
})

describe("links-lead", () => {
  const inPage = (text: string) =>
    find("links-lead", {
      "docs/a.md": `# A\n\n${text}\n`,
      "docs/deep/b.md": "# B\n\n## How it's `done`\n\n```sh\n# None\n```\n"
    })

  it.each([
    ["[b](deep/c.md)", "there is no docs/deep/c.md"],
    ["[b](../deep/b.md)", "there is no deep/b.md"],
    ["[b](deep/b.md#how)", "docs/deep/b.md has no heading #how"],
    ["[b](deep/b.md#none)", "docs/deep/b.md has no heading #none"],
    ["[b](#b)", "docs/a.md has no heading #b"]
  ])("%s", (text, message) => {
    assert.deepStrictEqual(inPage(text), [["docs/a.md", 3, message]])
  })

  it("passes files, folders, headings, and what leads elsewhere", () => {
    const links = ["deep/b.md", "deep/", "../docs/deep", "deep/b.md#how-its-done", "#a"]
    const text = [...links, "https://pagora.example/x.md"].map((link) => `[x](${link})`).join(" ")
    assert.deepStrictEqual(inPage(text), [])
  })
})

describe("queues-told", () => {
  const unit =
    'export type Queue = (typeof workQueues)[number] | "review" | `subscriber:${string}`\n\n' +
    'export const workQueues = [\n  "charge",\n  "inbox"\n] as const\n'
  const glossaryOf = (queues: ReadonlyArray<string>) =>
    find("queues-told", {
      [`${core}/units/Unit.ts`]: unit,
      "docs/concepts/glossary.md": `# G\n\n## Queues\n\n${queues.map((name) => `| \`${name}\` | x |\n`).join("")}`
    }).map(([, line, message]) => [line, message])

  it("a queue without a row, a row without a queue, and two rows of one", () => {
    assert.deepStrictEqual(glossaryOf(["charge", "review", "subscriber:…"]), [
      [1, "the queue inbox does not stand here once"]
    ])
    assert.deepStrictEqual(
      glossaryOf(["charge", "inbox", "review", "review", "subscriber:…", "outbox"]),
      [
        [10, `${core}/units/Unit.ts has no queue outbox`],
        [1, "the queue review does not stand here once"]
      ]
    )
  })

  it("passes each told once", () => {
    assert.deepStrictEqual(glossaryOf(["subscriber:…", "review", "inbox", "charge"]), [])
  })
})

describe("walks", () => {
  const walk = (stations: ReadonlyArray<string>, count = 0) => {
    const many = Array.from({ length: count }, (_, index) => [
      `${core}/a/A${index}.ts`,
      "export const make = 1\n"
    ])
    const own = stations.map((station, index) => `${index + 1}. ${station}\n`).join("")
    return find("walks", {
      ...Object.fromEntries(many),
      [`${core}/a/Charge.ts`]: "export class Charge {}\nconst hidden = 1\n",
      "packages/postgres/src/Write.ts": "export const write = 1\n",
      [architecture]: `# A\n\n## Walks\n\n### One\n\n${own}\n## B\n\n1. not a station\n`
    }).map(([, line, message]) => [line, message])
  }
  const good = "`a/Charge.ts`, `Charge`: is made"

  it.each([
    ["`a/Gone.ts`, `Charge`: is made", `there is no ${core}/a/Gone.ts`],
    ["`a/Charge.ts`, `hidden`: is made", `${core}/a/Charge.ts exports no hidden`],
    ["`a/Charge.ts`, `Char`: is made", `${core}/a/Charge.ts exports no Char`],
    ["`a/Charge.ts`: is made", "a station is written: 1. `path`, `export`: what happens there"]
  ])("%s", (station, message) => {
    assert.deepStrictEqual(walk([station]), [[7, message]])
  })

  it("a file that is entered twice, and one file too many", () => {
    assert.deepStrictEqual(walk([good, good]), [[8, `${core}/a/Charge.ts is entered twice`]])
    const long = Array.from({ length: 17 }, (_, index) => `\`a/A${index}.ts\`, \`make\`: makes`)
    assert.deepStrictEqual(walk(long, 17), [[22, "a walk has 15 files at most"]])
  })

  it("a walk without a file", () => {
    assert.deepStrictEqual(walk([]), [[5, "it leads nowhere"]])
  })

  it("passes what can be walked, in core and beside it", () => {
    assert.deepStrictEqual(walk([good, "`packages/postgres/src/Write.ts`, `write`: is in"]), [])
  })
})

describe("boundaries", () => {
  const among = (
    said: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>>
  ) => {
    const map = Object.entries(said).map(
      ([room, text], index) =>
        `${index + 1}. **\`${room}/\`** has it.\n\n   - *Boundary:* ${text}\n`
    )
    return find("boundaries", {
      ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${core}/${path}`, text])),
      [architecture]: `# A\n\n## Code map\n\n${map.join("")}\n## B\n`
    }).map(([path, line, message]) => [String(path).replace(`${core}/`, ""), line, message])
  }
  const type = 'import type { A } from "../audit/Audit.ts"\n'
  const value = 'import { a } from "../audit/Audit.ts"\n'
  const only = {
    audit: "x. Only `storage/`\n     and `jobs/` import it.",
    storage: "x.",
    jobs: "y."
  }

  it("a room that imports what only others may, types included", () => {
    const found = among(
      { ...only, charges: "z." },
      {
        "storage/Storage.ts": value,
        "jobs/Jobs.ts": type,
        "charges/Charges.ts": `${type}${value}`,
        "charges/Charge.test.ts": value
      }
    )
    const message = `charges/ is not to import audit/, says ${architecture}`
    assert.deepStrictEqual(found, [
      ["charges/Charges.ts", 1, message],
      ["charges/Charges.ts", 2, message]
    ])
  })

  it("a room that is said to import another and does not", () => {
    assert.deepStrictEqual(among(only, { "storage/Storage.ts": value }), [
      [architecture, 5, "jobs/ does not import audit/ any more: say so"]
    ])
  })

  it("a room that nobody is to import", () => {
    assert.deepStrictEqual(
      among({ audit: "No room imports it.", jobs: "x." }, { "jobs/J.ts": type }),
      [["jobs/J.ts", 1, `jobs/ is not to import audit/, says ${architecture}`]]
    )
  })

  it("a room that imports more than it says, or more than types", () => {
    const said = { audit: "a.", ledger: "b.", jobs: "It imports nothing but types of `audit/`." }
    const ledger = 'export type { B } from "../ledger/B.ts"\n'
    assert.deepStrictEqual(among(said, { "jobs/J.ts": `${value}${ledger}` }), [
      ["jobs/J.ts", 1, `jobs/ is to import only types of audit/, says ${architecture}`],
      ["jobs/J.ts", 2, `jobs/ is to import nothing of ledger/, says ${architecture}`]
    ])
    assert.deepStrictEqual(among(said, { "jobs/J.ts": type }), [])
  })

  it("passes who may, and rooms of which nothing is said", () => {
    const files = {
      "storage/Storage.ts": value,
      "jobs/Jobs.ts": type,
      "time/Time.ts": "export {}\n"
    }
    assert.deepStrictEqual(among({ ...only, time: "z." }, files), [])
  })
})

describe("decisions-named", () => {
  const first = "# 0001: One door\n"
  const second = "# 0002: Two clocks\n"
  const right = {
    "docs/decisions/0001-one-door.md": first,
    "docs/decisions/0002-two-clocks.md": second,
    [`${core}/a/A.ts`]: "// One door (decisions 0001, 0002).\n",
    [architecture]:
      "# A\n\n## Decisions\n\n| [0001](decisions/0001-one-door.md) | One door |\n| [0002](decisions/0002-two-clocks.md) | Two clocks |\n"
  }
  const among = (change: Readonly<Record<string, string | undefined>>) => {
    const files = Object.entries({ ...right, ...change }).flatMap(([path, text]) =>
      text === undefined ? [] : [[path, text] as const]
    )
    return find("decisions-named", Object.fromEntries(files)).map(([path, line, message]) => [
      String(path).split("/").at(-1),
      line,
      message
    ])
  }
  const table = (rows: string) => `# A\n\n## Decisions\n\n${rows}`
  const row = "| [0001](decisions/0001-one-door.md) | One door |\n"

  it("a gap between the numbers", () => {
    const found = among({
      "docs/decisions/0002-two-clocks.md": undefined,
      "docs/decisions/0003-two-clocks.md": "# 0003: Two clocks\n",
      [`${core}/a/A.ts`]: "// decision 0001, and docs/decisions/0003-two-clocks.md\n",
      [architecture]: table(`${row}| [0003](decisions/0003-two-clocks.md) | Two clocks |\n`)
    })
    assert.deepStrictEqual(found, [["0003-two-clocks.md", 1, "numbers have no gaps: it is 0002"]])
  })

  it("a title with another number", () => {
    const found = among({ "docs/decisions/0002-two-clocks.md": "# 0003: Two clocks\n" })
    assert.deepStrictEqual(found, [["0002-two-clocks.md", 1, "its title begins with # 0002: "]])
  })

  it("one that no code names; tests and documents do not count", () => {
    const found = among({
      [`${core}/a/A.ts`]: "// decision 0001\n",
      [`${core}/a/A.test.ts`]: "// decision 0002\n",
      "docs/a.md": "# A\n\n[decision 0002](decisions/0002-two-clocks.md)\n"
    })
    const message = "no code names it: name it where code rests on it, or fold it in"
    assert.deepStrictEqual(found, [["0002-two-clocks.md", 1, message]])
  })

  it("one that is not in the table, and a row that is none's", () => {
    const message = (line: string) => `the table of decisions lacks ${line}`
    const lacking = "| [0002](decisions/0002-two-clocks.md) | Two clocks |"
    assert.deepStrictEqual(among({ [architecture]: table(row) }), [
      ["ARCHITECTURE.md", 1, message(lacking)]
    ])
    const renamed = "| [0002](decisions/0002-two-clocks.md) | Clocks |"
    assert.deepStrictEqual(among({ [architecture]: table(`${row}${renamed}\n`) }), [
      ["ARCHITECTURE.md", 1, message(lacking)],
      ["ARCHITECTURE.md", 6, `no decision is called so: ${renamed}`]
    ])
  })

  it.each([
    ["packages/a/test/b.test.ts", "// decision 0007\n"],
    ["tools/a/src/b.ts", "// As in docs/decisions/0007-gone.md.\n"],
    ["docs/a.md", "# A [0007](https://pagora.example)\n"],
    ["docs/a.md", "# A: decisions 0001, 0002 and 0007\n"]
  ])("%s names one that is not there: %s", (path, text) => {
    const name = path.split("/").at(-1)
    assert.deepStrictEqual(among({ [path]: text }), [[name, 1, "there is no decision 0007"]])
  })

  it("a link that shows another number than it leads to", () => {
    const found = among({ "docs/a.md": "# A\n\n[0001](decisions/0002-two-clocks.md)\n" })
    assert.deepStrictEqual(found, [["a.md", 3, "0001 leads to decision 0002"]])
  })

  it("passes decisions that are named, told and numbered", () => {
    const named =
      "# A\n\n[0001](decisions/0001-one-door.md), [why](decisions/0002-two-clocks.md), 0099\n"
    assert.deepStrictEqual(among({ "docs/a.md": named, "a.yaml": "# 0003 is a number\n" }), [])
  })
})
