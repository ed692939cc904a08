import { assert, describe, it } from "@effect/vitest"
import { launchPagora, startPagora } from "@pagora/testkit"
import type { RunningPagora } from "@pagora/testkit"
import { freshDatabase } from "@pagora/testkit/postgres"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestContext } from "vitest"

/** What a test needs of the world, and leaves tidy behind it. */
const worldOf = ({ onTestFinished }: TestContext) => ({
  directory: (): string => {
    const path = mkdtempSync(join(tmpdir(), "pagora-refusal-"))
    onTestFinished(() => rmSync(path, { recursive: true, force: true }))
    return path
  },
  started: async (...args: ReadonlyArray<string>): Promise<RunningPagora> => {
    const pagora = await startPagora(args)
    onTestFinished(async () => void (await pagora.kill()))
    return pagora
  },
  /** Runs the command to its end, which must come by itself and not be a success. */
  refused: async (...args: ReadonlyArray<string>): Promise<string> => {
    const launched = launchPagora(args)
    onTestFinished(() => launched.signal("SIGKILL"))
    const end = await launched.ended
    const said = end.stdout + end.stderr
    assert.strictEqual(end.signal, null, said)
    assert.isAbove(end.code ?? 0, 0, said)
    // No facts, no stack, no more than a person can read.
    assert.notInclude(end.stdout, "clientSecret")
    assert.notMatch(said, /\bat .*:\d+:\d+/)
    assert.isBelow(said.length, 4_000, said)
    return said
  }
})

const isRoot = process.getuid?.() === 0
const unlessRoot = isRoot ? it.concurrent.skip : it.concurrent // Root may write everywhere.

describe("pagora dev refuses to start, in one clear sentence,", { timeout: 60_000 }, () => {
  it.concurrent("on a port that is in use", async (context) => {
    const { refused } = worldOf(context)
    const taken = createServer()
    await new Promise<void>((done) => {
      taken.listen(0, "127.0.0.1", done)
    })
    context.onTestFinished(() => void taken.close())
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    const database = await freshDatabase()
    context.onTestFinished(database.drop)
    const said = await refused("dev", "--json", "--port", String(port), "--database", database.url)
    assert.include(said, `Port ${port} is in use`)
    assert.include(said, "--port 0")
  })

  it.concurrent.for(["70000", "-1", "abc", "42.5"])("on port %s", async (port, context) => {
    const { refused } = worldOf(context)
    assert.include((await refused("dev", `--port=${port}`)).toLowerCase(), "port")
  })

  it.concurrent("with both --data and --database", async (context) => {
    const { directory, refused } = worldOf(context)
    const said = await refused(
      "dev",
      "--data",
      directory(),
      "--database",
      "postgres://127.0.0.1:1/x"
    )
    assert.include(said, "either --data or --database")
  })

  it.concurrent("with a flag or a command that it does not know", async (context) => {
    const { refused } = worldOf(context)
    assert.include(await refused("dev", "--frobnicate"), "--frobnicate")
    assert.include(await refused("frobnicate"), "frobnicate")
  })

  it.concurrent("in a place that is no directory", async (context) => {
    const { directory, refused } = worldOf(context)
    const file = join(directory(), "file")
    writeFileSync(file, "")
    for (const data of [file, join(file, "inside")]) {
      const said = await refused("dev", "--data", data)
      assert.include(said, data)
      assert.include(said, "--data")
    }
  })

  unlessRoot(
    "in a directory that it may not write to (root may write everywhere)",
    async (context) => {
      const { directory, refused } = worldOf(context)
      const closed = directory()
      chmodSync(closed, 0o500)
      assert.include(await refused("dev", "--data", join(closed, "inside")), "--data")
      assert.include(await refused("dev", "--data", closed), closed)
    }
  )

  it.concurrent("where its keys cannot be read", async (context) => {
    const { directory, refused } = worldOf(context)
    const data = directory()
    mkdirSync(join(data, "secret"))
    assert.include(await refused("dev", "--data", data), join(data, "secret"))
  })

  it.concurrent("where a key is empty, or the secret of its data is gone", async (context) => {
    const { directory, refused } = worldOf(context)
    for (const name of ["secret", "operator-key"]) {
      const data = directory()
      writeFileSync(join(data, name), "\n")
      assert.include(
        await refused("dev", "--port", "0", "--data", data),
        `${name} cannot be used (it is empty;`
      )
    }
    const data = directory()
    mkdirSync(join(data, "pglite"))
    const said = await refused("dev", "--port", "0", "--data", data)
    assert.include(said, `${join(data, "secret")} cannot be used (it is gone,`)
    assert.isFalse(existsSync(join(data, "secret")))
  })

  it.concurrent("on a database that does not answer, without its password in the sentence", async (context) => {
    const { refused } = worldOf(context)
    const urls = [
      "postgres://pagora:hunter2hunter2@127.0.0.1:1/pagora",
      "postgres://pagora:hunter2hunter2@127.0.0.1:99999/pagora",
      "hunter2hunter2"
    ]
    for (const said of await Promise.all(urls.map((url) => refused("dev", "--database", url)))) {
      assert.notInclude(said, "hunter2hunter2")
      assert.match(said, /database|PostgreSQL/i)
    }
  })

  it.concurrent("in a directory that another process uses, which goes on as if nothing had been", async (context) => {
    const { directory, refused, started } = worldOf(context)
    const data = directory()
    const first = await started("--data", data)
    const said = await refused("dev", "--json", "--port", "0", "--data", data)
    assert.include(said, data)
    assert.match(said, /in use by process \d+/)
    const charge = await first.shop("POST", "/pix", { body: { amount: 1 } })
    assert.strictEqual(charge.status, 201)
    const proof = await first.operator("GET", "/audit")
    assert.strictEqual(proof.json.ok, true)
    // The lock ends with its process, however that ends.
    await first.kill()
    const next = await started("--data", data)
    const found = await next.shop("GET", `/transactions/${charge.json.id}`)
    assert.strictEqual(found.status, 200)
  })
})

describe("pagora", { timeout: 60_000 }, () => {
  it.concurrent("tells its version, and what it can do", async () => {
    const version = await launchPagora(["--version"]).ended
    assert.strictEqual(version.code, 0)
    assert.match(version.stdout, /\d+\.\d+\.\d+/)
    const help = await launchPagora(["dev", "--help"]).ended
    assert.strictEqual(help.code, 0)
    for (const flag of ["--port", "--data", "--database", "--bank", "--manual", "--json"]) {
      assert.include(help.stdout, flag)
    }
  })
})
