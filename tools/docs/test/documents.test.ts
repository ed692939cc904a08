import { assert, describe, it } from "@effect/vitest"
import type { Verdict } from "../src/Run.ts"
import { readDocuments, runDocuments } from "../src/Documents.ts"

const fence = (language: string, code: string, ...directives: ReadonlyArray<string>) =>
  [...directives.map((each) => `<!-- ${each} -->`), `\`\`\`${language}`, code, "```"].join("\n")

/** A document whose first block begins in its third line. */
const page = (path: string, ...parts: ReadonlyArray<string>) => ({
  path,
  text: `# A page\n\n${parts.join("\n\n")}\n`
})

const run = async (
  ...documents: ReadonlyArray<{ readonly path: string; readonly text: string }>
) => {
  const verdicts: Array<Verdict> = []
  const faults = await runDocuments(documents, (verdict) => void verdicts.push(verdict))
  return { faults, verdicts }
}

/** What each page is reported for: its line, and words of the message. */
const planted: Readonly<
  Record<string, { readonly text: string; readonly says: readonly [number, RegExp] }>
> = {
  "a language that nothing runs": { text: fence("python", "1"), says: [3, /Nothing runs/] },
  "no language": { text: fence("", "1"), says: [3, /Nothing runs a block of ""/] },
  "a block without an end": { text: "```sh\ntrue", says: [3, /no end/] },
  "a word that means nothing": { text: fence("sh", "true", "runs: now"), says: [3, /"runs"/] },
  "a word beside no block": { text: "<!-- continues -->\n\nWords.", says: [3, /none/] },
  "a word that does not fit": { text: fence("sh", "true", "until: x"), says: [4, /does not go/] },
  "no reason": { text: fence("ini", "x", "not run:"), says: [3, /after its colon/] },
  "a change of sources beside the recipes": {
    text: fence("diff", "+ moon", "change: moon.ts"),
    says: [4, /docs\/recipes/]
  },
  "a reason too many": {
    text: `${fence("sh", "true")}\n\n${fence("text", "", "output: x")}`,
    says: [7, /stands alone/]
  },
  "output of nothing": { text: fence("text", "x", "output"), says: [4, /of nothing/] },
  "going on from nothing": { text: fence("ts", "1", "continues"), says: [4, /continues nothing/] },
  "a fixture that is not there": { text: fence("ts", "1", "with: moon"), says: [4, /moon\.ts/] },
  "a command that fails": { text: fence("sh", "true\nls /nowhere\ntrue"), says: [5, /nowhere/] },
  "a pipe that fails": { text: fence("sh", "X=$(false | cat)"), says: [4, /ended/] },
  "another output": { text: fence("sh", "true\n\necho 1\n# 2"), says: [4, /something else:\n1/] },
  "a gap that nothing fills": { text: fence("sh", "echo\nMOON=…"), says: [4, /fills MOON=…/] },
  "a package that is not there": {
    text: fence("sh", "npm install @pagora/moon"),
    says: [4, /moon/]
  },
  "a script that is not there": { text: fence("sh", "npm run moon"), says: [4, /moon/] },
  "another tool": { text: fence("sh", "npx moon"), says: [4, /moon/] },
  "a wrong type": { text: fence("ts", "const a = 1\nconst b: string = a"), says: [5, /TS2322/] },
  "a program that throws": { text: fence("js", 'throw new Error("moon")'), says: [3, /moon/] },
  "a program that ends too early": {
    text: fence("js", "1", "until: moon"),
    says: [4, /before: moon/]
  },
  "a service that does not end well": {
    text: fence(
      "sh",
      [
        "export PAGORA_WEBHOOK_SECRETS=whsec_dGhlIHNlY3JldCBvZiB0aGlzIGVuZHBvaW50Li4u",
        "npm run example webhook-receiver",
        'kill -9 "$(cat 1.service.pid)"'
      ].join("\n")
    ),
    says: [3, /ends with 137/]
  },
  "no JSON": { text: fence("json", "{'a': 1}"), says: [3, /no JSON/] },
  "another schema": { text: fence("json", "{}", "schema: Moon"), says: [4, /no schema Moon/] },
  "wrong SQL": { text: fence("sql", "select * from pagora.moon"), says: [3, /moon/] },
  "a wrong diagram": { text: fence("mermaid", "moonDiagram\nA"), says: [3, /moonDiagram/] },
  "an open bracket": { text: fence("mermaid", "flowchart TB\nA[one"), says: [3, /missing/] }
}

describe("the documents are run", { timeout: 180_000 }, () => {
  it("and whatever is broken in one is reported with its line", async () => {
    const pages = Object.entries(planted).map(([name, { text }]) =>
      page(`planted/${name}.md`, text)
    )
    const { faults } = await run(...pages)
    for (const [name, { says }] of Object.entries(planted)) {
      const found = faults.filter(({ path }) => path === `planted/${name}.md`)
      assert.deepStrictEqual(
        found.map(({ line }) => line),
        [says[0]],
        `${name}: ${found[0]?.message}`
      )
      assert.match(found[0]?.message ?? "", says[1], name)
    }
    assert.strictEqual(faults.length, pages.length)
  })

  it("and what stands behind a broken command is not passed over", async () => {
    const { faults, verdicts } = await run(
      page("planted/behind.md", fence("sh", "exit 3"), fence("sh", "true"), fence("json", "1"))
    )
    assert.deepStrictEqual(
      faults.map(({ line, message }) => [line, /Not reached/.test(message)]),
      [
        [4, false],
        [7, true]
      ]
    )
    assert.strictEqual(verdicts.length, 3)
  })

  it("and a page that imports what it does not install is told so", async () => {
    const text = fence("ts", 'import { Effect } from "effect"\nEffect.runSync(Effect.void)')
    const { faults } = await run(
      page("planted/uninstalled.md", fence("sh", "npm install @pagora/server"), text)
    )
    assert.deepStrictEqual(
      faults.map(({ line, message }) => [line, message]),
      [[7, "It imports effect, which no npm install of the document brings."]]
    )
  })

  it("and what is right is all run, in order, in one shell", async () => {
    const { faults, verdicts } = await run(
      page(
        "planted/right.md",
        fence("sh", "# A remark.\nX=1\n\ncat <<'END'\n# 2\nEND\n# # …"),
        fence("sh", "echo $X:$PORT"),
        fence("text", "1:3000", "output"),
        fence("json", '{"a": 1}', "file: a.json"),
        fence("sh", 'cat a.json\n# {"a": 1}'),
        fence("ts", "const a: number = 1"),
        fence("ts", "console.log(a + 1)", "continues"),
        fence("text", "2", "output"),
        fence("ts", "setInterval(() => console.log(3), 10)", "until: 3"),
        fence("sql", "create table moons (n int);\nselect n from moons;"),
        fence("ini", "[Unit]", "not run: it needs another machine")
      )
    )
    assert.deepStrictEqual(
      faults.map(({ line, message }) => `${line}: ${message}`),
      []
    )
    assert.deepStrictEqual(
      verdicts.map(({ done }) => done),
      [
        "ran",
        "ran",
        "output",
        "file",
        "ran",
        "ran with 2 blocks",
        "output",
        "ran",
        "sql",
        "not run: it needs another machine"
      ]
    )
  })

  it("and every document of the workspace is found", () => {
    const paths = readDocuments().map(({ path }) => path)
    for (const path of ["README.md", "docs/guides/embed.md", "packages/core/README.md"])
      assert.include(paths, path)
    assert.isFalse(paths.some((path) => path.includes("node_modules")))
  })
})
