import { assert, describe, it, vi } from "@effect/vitest"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestContext } from "vitest"
import { json, runPagora, startImpostor } from "./RunCommand.test-data.ts"

const psp = "00000000-0000-7000-8000-0000000000ba"
const settings = { pixKey: "11222333000181", clientId: "loja", clientSecret: "hunter2-of-the-bank" }

const kept = {
  pspCredentialId: psp,
  provider: "efi",
  environment: "production",
  status: "active",
  clientId: "loja",
  pspAccount: "11222333000181",
  fingerprint: "0123456789abcdef",
  certificateEndsAt: "2027-05-01T00:00:00.000Z",
  createdAt: "2026-11-21T12:00:00.000Z"
}

/** A service that keeps what it is given, and a file of settings. */
const worldOf = async ({ onTestFinished }: TestContext) => {
  let delayMillis = 0
  const service = await startImpostor((response, { method, url }) => {
    if (method === "DELETE") return void response.writeHead(204).end()
    if (url.endsWith("/psp-credentials") && method === "GET")
      return void json(200, { data: [kept], providers: ["efi"] })(response)
    const answer = url.includes("/check") ? { findings: [] } : kept
    setTimeout(() => json(200, answer)(response), delayMillis)
  })
  const folder = mkdtempSync(join(tmpdir(), "pagora-settings-"))
  onTestFinished(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const file = (content: string): string => {
    const path = join(folder, "settings.json")
    writeFileSync(path, content, { mode: 0o600 })
    return path
  }
  const run = (...args: ReadonlyArray<string>) =>
    runPagora(["psp", ...args], { PAGORA_OPERATOR_URL: service.url, PAGORA_OPERATOR_KEY: "a-key" })
  const setDelay = (millis: number) => {
    delayMillis = millis
  }
  return { service, file, run, setDelay }
}

describe("pagora psp, for credentials that are kept,", () => {
  it("sends the settings of a file, and prints what is known of them", async (context) => {
    const { file, run, service } = await worldOf(context)
    const path = file(JSON.stringify(settings))
    const added = await run("add", "--provider", "efi", "--settings", path, "--label", "Matriz")
    assert.strictEqual(added.code, 0, added.stderr)
    assert.include(added.stdout, "2027-05-01")
    assert.include(added.stderr, `pagora account change <id> --psps ${psp}`)
    const rotated = await run("rotate", psp, "--settings", path, "--json")
    assert.deepStrictEqual(JSON.parse(rotated.stdout), kept)
    assert.deepStrictEqual(
      service.asked.map(({ body, method, url }) => [method, url, JSON.parse(body)]),
      [
        ["POST", "/operator/v1/psp-credentials", { provider: "efi", label: "Matriz", settings }],
        ["POST", `/operator/v1/psp-credentials/${psp}/rotate`, { settings }]
      ]
    )
    for (const { stderr, stdout } of [added, rotated])
      assert.notInclude(`${stdout}${stderr}`, settings.clientSecret)
  })

  it("quotes nothing of a file that is none, and sends nothing", async (context) => {
    const { file, run, service } = await worldOf(context)
    for (const content of [
      '{"clientSecret": hunter2}',
      '["hunter2"]',
      '{"clientSecret": 222222}'
    ]) {
      const { code, stderr, stdout } = await run(
        "add",
        "--provider",
        "efi",
        "--settings",
        file(content)
      )
      assert.strictEqual(code, 1)
      assert.match(stderr, /has no settings: it must be one JSON object of texts/)
      assert.notMatch(`${stdout}${stderr}`, /hunter2|222222/)
    }
    const absent = await run("rotate", psp, "--settings", "/nowhere/efi.json")
    assert.match(absent.stderr, /\/nowhere\/efi\.json cannot be read/)
    const unnamed = await run("add", "--settings", file(JSON.stringify(settings)))
    assert.match(unnamed.stderr, /Say with --provider/)
    const nothing = await run("add")
    assert.match(nothing.stderr, /There are no settings: .*PAGORA_BANK/)
    assert.lengthOf(service.asked, 0)
  })

  it("destroys nothing before somebody says yes", async (context) => {
    const { run, service } = await worldOf(context)
    const asked = await run("revoke", psp)
    assert.strictEqual(asked.code, 1)
    assert.match(asked.stderr, /Nothing was done/)
    assert.lengthOf(service.asked, 0)
    const revoked = await run("revoke", psp, "--yes")
    assert.strictEqual(revoked.code, 0, revoked.stderr)
    assert.deepStrictEqual(
      service.asked.map(({ method, url }) => `${method} ${url}`),
      [`DELETE /operator/v1/psp-credentials/${psp}`]
    )
  })

  it("waits five minutes for a bank that thinks, and half a minute for all else", async (context) => {
    const { file, run, setDelay } = await worldOf(context)
    const real = AbortSignal.timeout.bind(AbortSignal)
    const spied = vi.spyOn(AbortSignal, "timeout")
    // A hundredth of the time.
    spied.mockImplementation((millis) => real(millis / 100))
    context.onTestFinished(() => spied.mockRestore())
    setDelay(1_000)
    const checked = await run("check", "--kept")
    assert.strictEqual(checked.code, 0, checked.stderr)
    const rotated = await run("rotate", psp, "--settings", file(JSON.stringify(settings)))
    assert.match(rotated.stderr, /30000 milliseconds|30 seconds/)
    setDelay(5_000)
    const late = await run("check", "--kept")
    assert.strictEqual(late.code, 1)
    assert.match(late.stderr, /300000 milliseconds|5 minutes/)
  })

  it("says all that is amiss with the variables before anything is sent", async (context) => {
    const { file, run, service } = await worldOf(context)
    const env = {
      PAGORA_BANK: "efi",
      PAGORA_BANK_PIX_KEY: "11222333000181",
      PAGORA_BANK_CLIENT_ID: "loja",
      PAGORA_BANK_CLIENT_SECRET: settings.clientSecret,
      PAGORA_BANK_CERTIFICATE_FILE: file("none"),
      PAGORA_BANK_APP_KEY: "hunter2",
      PAGORA_BANK_CERTIFICATE_P12: "hunter2x".repeat(20)
    }
    context.onTestFinished(() => void vi.unstubAllEnvs())
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    for (const args of [["add"], ["rotate", psp]]) {
      const { code, stderr } = await run(...args)
      assert.strictEqual(code, 1)
      assert.match(stderr, /PAGORA_BANK_APP_KEY means nothing to efi: take it away\./)
      assert.match(stderr, /PAGORA_BANK_CERTIFICATE_FILE and PAGORA_BANK_CERTIFICATE_P12 are both/)
      assert.notInclude(stderr, "hunter2")
    }
    vi.stubEnv("PAGORA_BANK_CLIENT_SECERT", "hunter2")
    const misspelt = await run("add")
    assert.match(
      misspelt.stderr,
      /There is no setting PAGORA_BANK_CLIENT_SECERT: did you mean PAGORA_BANK_CLIENT_SECRET\?/
    )
    assert.lengthOf(service.asked, 0)
  })

  it("tells of which bank and environment the variables are, so that others are refused", async (context) => {
    const { run, service } = await worldOf(context)
    context.onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv("PAGORA_BANK", "woovi")
    vi.stubEnv("PAGORA_BANK_ENVIRONMENT", "sandbox")
    vi.stubEnv("PAGORA_BANK_APP_ID", "hunter2-of-woovi")
    await run("rotate", psp)
    assert.deepStrictEqual(JSON.parse(service.asked.at(-1)?.body ?? ""), {
      provider: "woovi",
      environment: "sandbox",
      settings: { appId: "hunter2-of-woovi" }
    })
  })

  it("checks against the address that is known", async (context) => {
    const { run, service } = await worldOf(context)
    await run("check", "--kept", "--public-url", "https://pay.example.com/v2/")
    const url = encodeURIComponent("https://pay.example.com/v2")
    assert.strictEqual(
      service.asked.at(-1)?.url,
      `/operator/v1/psp-credentials/${psp}/check?publicUrl=${url}`
    )
  })

  it("lists them, and says where one is not there", async (context) => {
    const { run } = await worldOf(context)
    const listed = await run("list", "--kept")
    assert.match(listed.stdout, /PSP .*CERTIFICATE ENDS/)
    assert.include(listed.stdout, "0123456789abcdef")
    const other = await run("list", "--kept", "--psp", "00000000-0000-7000-8000-0000000000bb")
    assert.match(other.stderr, /No credentials are kept of a PSP .*bb: pagora psp list --kept/)
  })
})
