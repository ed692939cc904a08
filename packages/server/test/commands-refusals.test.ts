import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Asked } from "./RunCommand.test-data.ts"
import { json, proof, runPagora, startImpostor } from "./RunCommand.test-data.ts"

// What a service answers that is not well, or that is no service of ours: an impostor says it.

const folder = mkdtempSync(join(tmpdir(), "pagora-refusals-"))
const secret = "opk_not-to-be-seen-by-anybody"
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

const withKey = () => ({ PAGORA_OPERATOR_URL: impostor.url, PAGORA_OPERATOR_KEY: secret })

/** Runs a command that must not succeed; answers its one sentence. */
const refused = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = withKey(),
  expected = 1
): Promise<string> => {
  const { code, stderr, stdout } = await runPagora(args, env)
  assert.strictEqual(code, expected, stderr)
  assert.strictEqual(stdout, "")
  assert.notMatch(stderr, /\bat .*:\d+:\d+/)
  assert.notInclude(stderr, secret)
  return stderr
}

/** Shows the account whose name stands for an answer. */
const shown = (name: string, answer: (response: ServerResponse, asked: Asked) => void) => {
  answers.set(name, answer)
  return refused(["account", "show", name])
}

const envelope = (statusCode: number, message: string, details: object) => ({
  statusCode,
  error: "Any",
  message,
  details,
  timestamp: "2026-11-21T12:00:00.000Z",
  traceId: "0af7651916cd43dd8448eb211c80319c"
})

describe("a command says in one sentence what to do", { timeout: 120_000 }, () => {
  it.concurrent("when nothing answers", async () => {
    const gone = await startImpostor(() => undefined)
    await gone.close()
    assert.strictEqual(
      await refused(["audit"], { ...withKey(), PAGORA_OPERATOR_URL: gone.url }),
      `pagora: Nothing answers at ${gone.url}. Start the service there (\`pagora dev\`), or name another address with --operator-url or PAGORA_OPERATOR_URL.\n`
    )
  })

  it.concurrent("when there is no key, no key file, or an empty one", async () => {
    const none = { PAGORA_OPERATOR_URL: impostor.url }
    assert.include(await refused(["audit"], none), "Set PAGORA_OPERATOR_KEY, or give its file")
    const gone = join(folder, "gone")
    const missing = await refused(["audit", `--operator-key-file=${gone}`], none)
    assert.include(missing, `There is no key file ${gone}.`)
    const empty = join(folder, "empty")
    writeFileSync(empty, "\n")
    const env = { ...none, PAGORA_OPERATOR_KEY_FILE: empty }
    assert.include(await refused(["audit"], env), `The key file ${empty} is empty.`)
  })

  it.concurrent("when the key cannot be one, without the key", async () => {
    const env = { ...withKey(), PAGORA_OPERATOR_KEY: `${secret}\nbehind it` }
    assert.include(await refused(["audit"], env), "The operator key has a space, a line break")
  })

  it.concurrent("when the address has a password in it, without the password", async () => {
    const env = { ...withKey(), PAGORA_OPERATOR_URL: `https://me:${secret}@pay.example.com/` }
    assert.include(await refused(["audit"], env, 2), '"https://***@pay.example.com/"')
  })

  it.concurrent("when the key is another one", async () => {
    const said = await shown("e401", json(401, envelope(401, "Send it.", { code: "X" })))
    assert.include(said, `The service at ${impostor.url} refuses the operator key.`)
  })

  it.concurrent("when something is not there, or is there already, or another request has the key", async () => {
    const details = { resource: "account", id: "e404" }
    assert.strictEqual(
      await shown("e404", json(404, envelope(404, "There is no account with this id.", details))),
      "pagora: There is no account with this id (account e404).\n"
    )
    assert.strictEqual(
      await shown("e409", json(409, envelope(409, "It is closed for ever.", { code: "CLOSED" }))),
      "pagora: It is closed for ever (CLOSED).\n"
    )
    assert.strictEqual(
      await shown("e422", json(422, envelope(422, "Use another key.", { code: "KEY_REUSED" }))),
      "pagora: Use another key (KEY_REUSED).\n"
    )
  })

  it.concurrent("when it shall wait, and when the service failed", async () => {
    const limited = envelope(429, "Too many.", { code: "RATE_LIMITED", retryAfterSeconds: 7 })
    assert.strictEqual(
      await shown("e429", json(429, limited)),
      "pagora: Too many (RATE_LIMITED). Try again in 7 seconds.\n"
    )
    const nearly = envelope(429, "Too many.", { code: "RATE_LIMITED", retryAfterSeconds: 1 })
    assert.include(await shown("e429-1", json(429, nearly)), "Try again in 1 second.\n")
    assert.include(
      await shown("e500", json(500, envelope(500, "Wrong on our side.", {}))),
      "Its traceId is 0af7651916cd43dd8448eb211c80319c."
    )
  })

  it.concurrent("when it is no service of this kind, and follows no redirect with the key", async () => {
    const html = (response: ServerResponse) =>
      void response.writeHead(200, { "content-type": "text/html" }).end("<h1>Welcome</h1>")
    assert.include(await shown("html", html), "is no operator API of this version")
    assert.include(await shown("nothing", json(404, {})), "Its address ends in /operator/v1")
    const elsewhere = (response: ServerResponse) =>
      void response.writeHead(302, { location: "/operator/v1/accounts/followed" }).end()
    assert.include(await shown("moved", elsewhere), "(with status 302)")
    assert.isFalse(impostor.asked.some(({ url }) => url.endsWith("/followed")))
  })

  it.concurrent("when the answer to a POST was lost: with the key that makes the repeat safe", async () => {
    answers.set("adjustments", (response) => void response.destroy())
    const said = await refused(["account", "adjust", "A", "--amount=1", "--reason=x"])
    const sent = impostor.asked.find(({ url }) => url.endsWith("/adjustments"))
    assert.include(said, "It is not known whether it was done")
    assert.include(said, `--idempotency-key ${String(sent?.headers["idempotency-key"])},`)
    assert.strictEqual(sent?.body, '{"amount":1,"reason":"x"}')
  })

  it.concurrent("for an id that would be another path", async () => {
    for (const id of ["..", ".", ""]) {
      await refused(["account", "show", id])
    }
    assert.isFalse(impostor.asked.some(({ url }) => /\/(v1|accounts\/?)$/.test(url)))
  })
})

describe("a wrong use", { timeout: 120_000 }, () => {
  const wrong = (...args: ReadonlyArray<string>) => refused(args, withKey(), 2)

  it.concurrent("ends with 2 and says where to read on, on standard error alone", async () => {
    assert.strictEqual(
      await wrong("account", "create"),
      "pagora: Missing required flag: --name\n\nRun `pagora account create --help` for how it is used.\n"
    )
    assert.include(await wrong("account", "show"), "Missing required argument: account")
    assert.include(await wrong("audit", "--jsn"), "--json")
    assert.include(await wrong("audit", "--operator-url=ftp://x"), "an address without credentials")
    assert.include(await wrong("audit", "--operator-url=http://a:b@c/"), "without credentials")
    const amount = ["account", "adjust", "A", "--amount=1.005", "--reason=x"]
    assert.include(await wrong(...amount), "at most two decimals")
    const fee = await wrong("account", "create", "--name=A", "--fee-payment=fix=1")
    assert.include(fee, "fixed, percent, min, max")
    assert.include(await wrong("account", "list", "--limit=101"), "a number from 1 to 100")
  })

  it.concurrent("suggests the nearest command and flag", async () => {
    assert.match(await wrong("acount", "list"), /Did you mean this\?\n\s+account\n/)
    assert.match(await wrong("account", "lst"), /Did you mean this\?\n\s+list\n/)
  })

  it.concurrent("is a key among the arguments, where everybody can read it", async () => {
    assert.include(await wrong("audit", "--operator-key=abc"), "Unrecognized flag: --operator-key")
  })
})

describe("standard output", { timeout: 120_000 }, () => {
  it.concurrent("has help and version when they are asked for", async () => {
    const help = await runPagora([])
    assert.deepStrictEqual([help.code, help.stderr], [0, ""])
    assert.include(help.stdout, "OPERATE:")
    const version = await runPagora(["--version"])
    assert.match(version.stdout, /^pagora \d+\.\d+\.\d+\n$/)
    const completions = await runPagora(["--completions", "bash"])
    assert.include(completions.stdout, "rotate-secret")
  })

  it.concurrent("has no colour and no escapes of strangers where it is no terminal", async () => {
    const name = "\u001b]0;title\u0007Loja\nRevoke me"
    answers.set("hostile", json(200, { id: "hostile", name, status: "approved", fees: {} }))
    const { code, stdout } = await runPagora(["account", "show", "hostile"], {
      ...withKey(),
      FORCE_COLOR: "0"
    })
    assert.strictEqual(code, 0)
    assert.include(stdout, "Name     \\u001b]0;title\\u0007Loja\\u000aRevoke me\n")
  })
})

describe("books that are long", { timeout: 120_000 }, () => {
  it.concurrent("show at a terminal, and only there, that they are being read", async () => {
    const slow = await startImpostor((response) => {
      setTimeout(() => json(200, proof)(response), 1_300)
    })
    const env = { ...withKey(), PAGORA_OPERATOR_URL: slow.url }
    const watched = await runPagora(["audit", "--json"], env, "")
    assert.deepStrictEqual(JSON.parse(watched.stdout), proof)
    assert.strictEqual(watched.stderr, "\rReading every entry: 1 s\r\u001b[K")
    const unwatched = await runPagora(["audit", "--json"], env)
    assert.deepStrictEqual([unwatched.stdout, unwatched.stderr], [watched.stdout, ""])
    await slow.close()
  })
})

describe("books that do not balance", { timeout: 120_000 }, () => {
  it.concurrent("are shown, and pagora audit ends with 1", async () => {
    const violations = [{ rule: "balance", subject: "wallet 7", detail: "is 3, not 4" }]
    const proof = {
      ok: false,
      checkedAt: "2026-11-21T12:00:00Z",
      accounts: 1,
      entries: 2,
      complete: true,
      since: null,
      tookMillis: 3,
      violations
    }
    answers.set("audit", json(200, proof))
    const { code, stderr, stdout } = await runPagora(["audit"], withKey())
    assert.strictEqual(code, 1)
    assert.include(stdout, "Books       NOT balanced\n")
    assert.include(stdout, "RULE     SUBJECT   DETAIL\nbalance  wallet 7  is 3, not 4\n")
    assert.include(stderr, "pagora: The books do not balance.")
    const forPrograms = await runPagora(["audit", "--json"], withKey())
    assert.strictEqual(forPrograms.code, 1)
    assert.deepStrictEqual(JSON.parse(forPrograms.stdout), proof)
  })
})

describe("the conformance kit", { timeout: 120_000 }, () => {
  it.concurrent("asks before it writes where no sandbox is, which may be no test", async () => {
    answers.set("accounts", json(200, { data: [], nextCursor: null }))
    const said = await refused(["conformance", "--section=account"])
    assert.include(said, "so that this may be no test deployment")
    assert.include(said, "Nothing was done.")
  })

  it("brings neither a test runner nor a database", () => {
    const kit = fileURLToPath(new URL("../../testkit/src/conformance", import.meta.url))
    assert.isTrue(existsSync(kit))
    const files = readdirSync(kit, { recursive: true, encoding: "utf8" })
    for (const file of files.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))) {
      const code = readFileSync(join(kit, file), "utf8")
      for (const [, specifier = ""] of code.matchAll(/\bfrom "([^"]+)"/g)) {
        assert.match(specifier, /^(node:|\.\/|\.\.\/(?!\.\.))/, file)
      }
    }
  })
})
