import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { eventually } from "@pagora/testkit"
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startOnPostgreSQL } from "./OnPostgreSQL.test-data.ts"
import type { Asked } from "./RunCommand.test-data.ts"
import { json, launch, proof, startImpostor } from "./RunCommand.test-data.ts"
import { startTamperingProxy } from "./TamperingProxy.test-data.ts"

// What only a process has: its exit code, its signals, its pipes, and what it loads.

const folder = mkdtempSync(join(tmpdir(), "pagora-process-"))
const answers = new Map<string, (response: ServerResponse, asked: Asked) => void>()
let impostor: Awaited<ReturnType<typeof startImpostor>>

beforeAll(async () => {
  impostor = await startImpostor((response, asked) => {
    const name = asked.url.split("/").at(-1)?.split("?")[0] ?? ""
    const answer = answers.get(name) ?? json(404, {})
    answer(response, asked)
  })
})

afterAll(async () => {
  await impostor.close()
  rmSync(folder, { recursive: true, force: true })
})

const withKey = () => ({
  PAGORA_OPERATOR_URL: impostor.url,
  PAGORA_OPERATOR_KEY: "opk_not-to-be-seen-by-anybody"
})

describe("the process of a command", { timeout: 120_000 }, () => {
  it.concurrent("ends with 0, 1 or 2, and reads its environment", async () => {
    answers.set("audit", json(200, proof))
    const audit = await launch(["audit", "--json"], withKey()).ended
    assert.deepStrictEqual([audit.code, audit.stderr], [0, ""])
    assert.deepStrictEqual(JSON.parse(audit.stdout), proof)
    const missing = await launch(["account", "show", "nobody"], withKey()).ended
    assert.deepStrictEqual([missing.code, missing.stdout], [1, ""])
    const wrong = await launch(["acount", "list"], withKey()).ended
    assert.deepStrictEqual([wrong.code, wrong.stdout], [2, ""])
    assert.match(wrong.stderr, /Did you mean this\?\n\s+account\n/)
  })

  it.concurrent("ends with 130 when it is stopped before it has its answer", async () => {
    answers.set("slow", () => undefined)
    const { ended, signal } = launch(["account", "show", "slow"], withKey())
    await eventually(() => Promise.resolve(impostor.asked.find(({ url }) => url.endsWith("/slow"))))
    signal("SIGINT")
    const { code, stderr, stdout } = await ended
    assert.deepStrictEqual([code, stdout, stderr], [130, "", ""])
  })

  it.concurrent("loads nothing of a service to show its version or its help", async () => {
    const hook = `
      import { registerHooks } from "node:module"
      registerHooks({ resolve(specifier, context, next) {
        if (/^@pagora\\/(core|postgres|testkit)|^(jose|pg|@electric-sql)/.test(specifier)) throw new Error(specifier)
        return next(specifier, context)
      } })`
    const file = join(folder, "alone.mjs")
    writeFileSync(file, hook)
    for (const args of [["--version"], ["account", "adjust", "--help"]]) {
      const { code, stderr } = await launch(args, { NODE_OPTIONS: `--import=${file}` }).ended
      assert.deepStrictEqual([code, stderr], [0, ""])
    }
  })

  it.concurrent("may be closed by its reader: no page more, no stack, no failure", async () => {
    const row = { id: "a", name: "b".repeat(5_000), status: "approved", createdAt: "2026" }
    answers.set("accounts", (response) => {
      setTimeout(() => json(200, { data: [row], nextCursor: "more" })(response), 20)
    })
    const bin = fileURLToPath(new URL("../bin/pagora.mjs", import.meta.url))
    const command = `set -o pipefail; "$0" --conditions=@pagora/source "$1" account list --all --json | head -1 | wc -l`
    const shell = spawn("bash", ["-c", command, process.execPath, bin], {
      env: { ...process.env, ...withKey(), NODE_OPTIONS: "" }
    })
    let out = ""
    let errors = ""
    shell.stdout.on("data", (chunk: Buffer) => void (out += chunk.toString()))
    shell.stderr.on("data", (chunk: Buffer) => void (errors += chunk.toString()))
    const code = await new Promise((done) => shell.once("close", done))
    assert.deepStrictEqual([code, out.trim(), errors], [0, "1", ""])
  })

  it.concurrent("asks for the conformance kit where it is not installed", async () => {
    const hook = `
      import { registerHooks } from "node:module"
      registerHooks({ resolve(specifier, context, next) {
        if (!specifier.startsWith("@pagora/testkit")) return next(specifier, context)
        throw Object.assign(new Error("Cannot find package '@pagora/testkit'"), { code: "ERR_MODULE_NOT_FOUND" })
      } })`
    const file = join(folder, "without-kit.mjs")
    writeFileSync(file, hook)
    const env = { ...withKey(), NODE_OPTIONS: `--import=${file}` }
    const { code, stderr } = await launch(["conformance"], env).ended
    assert.strictEqual(code, 1)
    assert.include(stderr, "npm install --save-dev @pagora/testkit")
  })
})

describe("pagora conformance", { timeout: 120_000 }, () => {
  it("ends with 1 when a check fails, and says which and how", async () => {
    const { end, pagora } = await startOnPostgreSQL(["--manual"])
    const proxy = await startTamperingProxy(`http://127.0.0.1:${pagora.port}`)
    try {
      proxy.tamper = {
        answer: (answer, { method, path }) =>
          method === "POST" && path === "/v2/projects" && answer.status === 409
            ? { ...answer, status: 201 }
            : answer
      }
      const { code, stderr, stdout } = await launch(["conformance", "--section=projects"], {
        PAGORA_OPERATOR_URL: `${proxy.url}/operator/v1`,
        PAGORA_OPERATOR_KEY: pagora.facts.operatorKey
      }).ended
      assert.strictEqual(code, 1, stderr)
      assert.match(stdout, /\nFAILED POST \/projects with a name that is there is 409/)
      assert.include(stdout, "curl -i -X POST")
      assert.match(stderr, /pagora: \d+ of 7 checks failed\./)
    } finally {
      await proxy.close()
      await end()
    }
  })
})
