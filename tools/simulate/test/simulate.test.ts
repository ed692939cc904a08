import { everything, wholeFrom } from "@pagora/testkit/simulation"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { parseOptions } from "../src/Options.ts"
import type { Report } from "../src/Report.ts"
import { questionOf, readReport, writeReport } from "../src/Report.ts"
import { kindOf, runPlan } from "../src/Runner.ts"
import { Summary } from "../src/Summary.ts"
import { wireBanks } from "../src/wire/WireFar.ts"
import type { Chance } from "../src/wire/WireFaults.ts"
import { drawLineTheme, makeDrawing, noRates, wireCells } from "../src/wire/WireFaults.ts"

const chanceOf = (seed: number): Chance => {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
  const below = (bound: number): number => Math.floor(next() * bound)
  return {
    below,
    happens: (probability) => next() < probability,
    pick: (all) => all[below(all.length)] as (typeof all)[number]
  }
}

const memory = { storage: "memory", bank: "port" } as const
const pglite = { ...memory, storage: "pglite" } as const

describe("a simulation", { timeout: 300_000 }, () => {
  it("goes the same way in memory and on PGlite", async () => {
    const plan = { seed: 4, calm: [] }
    const [model, sql] = [await runPlan(plan, memory), await runPlan(plan, pglite)]
    assert.deepEqual(sql.violations, [])
    assert.equal(sql.hash, model.hash)
    assert.deepEqual(sql.coverage, model.coverage)
  })
})

describe("a simulation of banks behind their own protocol", { timeout: 300_000 }, () => {
  it.each(wireBanks)("of %s goes well, and the same way each time", async (bank) => {
    for (const seed of [1, 2, 3]) {
      const { coverage, hash, violations } = await runPlan({ seed, calm: [] }, { ...memory, bank })
      assert.deepEqual(violations, [])
      assert.isTrue([...coverage.keys()].some((cell) => cell.startsWith("fault: line ")))
      if (seed > 1) continue
      assert.equal((await runPlan({ seed, calm: [] }, { ...memory, bank })).hash, hash)
    }
  })
})

describe("a run of many seeds", () => {
  const summaryOf = (seeds: number, cells: ReadonlyArray<string>) => {
    const summary = new Summary(0)
    const told = { hash: "", violations: [], operations: 200, faults: 5, steps: 1_000 }
    const coverage = new Map(cells.map((cell) => [cell, 1]))
    for (let seed = 0; seed < seeds; seed++) summary.add({ ...told, seed, coverage })
    return summary
  }
  const plan = { calm: [] }
  const bank = "port"

  it("fails where something was never reached, and not where it was too short for that", () => {
    const [first = "", ...others] = everything
    assert.deepEqual(summaryOf(wholeFrom, others).missed({ bank, plan }), [first])
    assert.deepEqual(summaryOf(wholeFrom, everything).missed({ bank, plan }), [])
    assert.deepEqual(summaryOf(wholeFrom - 1, []).missed({ bank, plan }), [])
    assert.deepEqual(summaryOf(wholeFrom, []).missed({ bank, plan: { calm: ["banks"] } }), [])
    const [line = "", ...lines] = wireCells("efi")
    assert.deepEqual(summaryOf(wholeFrom, lines).missed({ bank: "efi", plan }), [line])
  })
})

/** Where nothing is yet; gone with the test. */
const reportFile = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "pagora-report-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "report.json")
}

describe("a run that goes on later", () => {
  const toldOf = (seed: number, violations: ReadonlyArray<string> = []) => ({
    seed,
    violations,
    hash: `hash of ${seed}`,
    operations: 200 + seed,
    faults: 5,
    steps: 1_000,
    coverage: new Map([[`cell ${seed % 2}`, 1]])
  })
  const summaryOf = (seeds: ReadonlyArray<number>, kept?: Report) => {
    const summary = new Summary(7, kept)
    for (const seed of seeds) summary.add(toldOf(seed, seed === 9 ? ["a centavo is lost"] : []))
    return summary
  }
  const options = (...args: ReadonlyArray<string>) => {
    const parsed = parseOptions(args)
    if (typeof parsed === "string") throw new Error(parsed)
    return parsed
  }
  const question = { seed: 7, sources: "those" }
  const reportOf = (summary: Summary) => ({ ...summary.reportOf(question), seconds: 0 })

  it("counts seeds in their order, whichever ends first, and up to the first that has not ended", () => {
    const whole = summaryOf([7, 8, 9, 10])
    assert.deepEqual(reportOf(summaryOf([8, 10, 9, 7])), reportOf(whole))
    const gap = summaryOf([7, 9, 10])
    assert.equal(gap.next, 8)
    assert.deepEqual(gap.failed, [{ seed: 9, violations: ["a centavo is lost"] }])
    assert.deepEqual(reportOf(gap), reportOf(summaryOf([7])))
    assert.notEqual(reportOf(whole).traces, reportOf(summaryOf([7, 8, 9])).traces)
  })

  it("comes to what one that was never stopped comes to", () => {
    const file = reportFile()
    writeReport(file, summaryOf([7, 8, 9, 11]).reportOf(question))
    const kept = readReport(file, question)
    assert.isObject(kept)
    const later = summaryOf([10, 11, 12], typeof kept === "string" ? undefined : kept)
    assert.deepEqual(reportOf(later), reportOf(summaryOf([7, 8, 9, 10, 11, 12])))
    assert.deepEqual(later.failed, [{ seed: 9, violations: ["a centavo is lost"] }])
  })

  it("is begun and gone on with by one command", { timeout: 60_000 }, async () => {
    const file = reportFile()
    const program = join(import.meta.dirname, "../src/main.ts")
    const run = (count: number) => {
      // Nothing happens in these worlds but that they begin and end.
      const args = `--seed 3 --count ${count} --operations none --faults none --resume --report`
      return execFileSync(
        process.execPath,
        ["--conditions=@pagora/source", program, "--jobs", "1", ...args.split(" "), file],
        { encoding: "utf8" }
      )
    }
    assert.match(run(1), /^1 seed /m)
    assert.match(run(3), /^3 seeds /m)
    const whole = new Summary(3)
    for (const seed of [3, 4, 5])
      whole.add(await runPlan({ seed, calm: [], operations: [], faults: [] }, memory))
    const kept = JSON.parse(readFileSync(file, "utf8")) as Report
    assert.deepEqual({ ...kept, seconds: 0 }, { ...reportOf(whole), question: kept.question })
  })

  it("is of the same seeds, of the same worlds and sources", () => {
    const file = reportFile()
    const asked = questionOf(options("--seed", "7"))
    writeReport(file, summaryOf([7]).reportOf(asked))
    assert.isObject(readReport(file, questionOf(options("--seed", "7", "--count", "9"))))
    const refused = (...args: ReadonlyArray<string>) =>
      readReport(file, questionOf(options(...args)))
    assert.match(String(refused("--seed", "8")), /another question: seed differ/)
    assert.match(String(refused("--seed", "7", "--bank", "efi")), /: bank differ/)
    assert.match(String(refused("--seed", "7", "--compare")), /: isComparing differ/)
    assert.match(String(refused("--seed", "7", "--faults", "none")), /: faults differ/)
    assert.match(String(readReport(file, { ...asked, sources: "others" })), /: sources differ/)
    writeFileSync(file, "{")
    assert.match(String(readReport(file, asked)), /cannot be gone on with: .*JSON/)
    assert.isUndefined(readReport(`${file}.not-yet`, asked))
  })
})

describe("the command", () => {
  it("has lines on which one thing alone goes wrong", () => {
    const drawn = Array.from({ length: 400 }, (_, seed) => drawLineTheme(chanceOf(seed)))
    const themes = new Set(drawn.filter((theme) => theme !== undefined))
    assert.strictEqual(themes.size, 3)
    assert.isBelow(drawn.filter((theme) => theme !== undefined).length, 100)
    for (const theme of themes) {
      const draw = makeDrawing((kind) => theme[kind] ?? noRates)
      const chance = chanceOf(1)
      const faultsOf = (kind: "sendPayout" | "cancelCharge") =>
        new Set(Array.from({ length: 200 }, (_, nth) => draw(chance, kind, `${kind} ${nth}`)))
      assert.deepStrictEqual([...faultsOf("cancelCharge")], [undefined])
      assert.deepStrictEqual(
        [...faultsOf("sendPayout")].filter((fault) => fault !== undefined),
        Object.keys(theme.sendPayout ?? {})
      )
    }
  })

  it("takes what a smaller failure is told by", () => {
    const options = parseOptions(
      "--seed 7 --count 1 --storage pglite --bank inter --operations 3,7-9 --faults none --calm banks,order".split(
        " "
      )
    )
    assert.isObject(options)
    assert.deepInclude(options, { seed: 7, count: 1, storage: "pglite", bank: "inter", jobs: 1 })
    assert.deepEqual(typeof options === "string" ? undefined : options.plan, {
      operations: [3, 7, 8, 9],
      faults: [],
      calm: ["banks", "order"]
    })
  })

  it.each([
    [["--seed=-1"], /whole numbers/],
    [["--count", "0"], /whole numbers/],
    [["--storage", "redis"], /memory or pglite/],
    [["--bank", "azul"], /port, any, efi, inter/],
    [["--operations", "3;4"], /such as 3,7-9/],
    [["--calm", "weather"], /takes some of/],
    [["--resume"], /with a --report/],
    [["--sed", "1"], /--sed/]
  ])("says what is wrong with %j", (args, sentence) => {
    const said = parseOptions(args)
    assert.isString(said)
    assert.match(String(said), sentence)
  })

  it("tells failures apart by what they say, without their names and figures", () => {
    const of = (id: string, amount: number) =>
      kindOf(`world: withdrawal ${id} (completed) left the bank with ${amount}, not 0`)
    assert.equal(
      of("01a20da8-57fd-7000-97ae-b41d3707f395", 3324),
      of("01a20da5-1eaf-7000-ae5d-25be5d4d0aa9", 12)
    )
    assert.notEqual(of("01a20da8-57fd-7000-97ae-b41d3707f395", 1), kindOf("audit: P1"))
  })
})
