import { assert, describe, it } from "@effect/vitest"
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
  const service = await startImpostor((response, { method }) =>
    method === "DELETE"
      ? void response.writeHead(204).end()
      : json(200, method === "GET" ? { data: [kept], providers: ["efi"] } : kept)(response)
  )
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
  return { service, file, run }
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

  it("lists them, and says where one is not there", async (context) => {
    const { run } = await worldOf(context)
    const listed = await run("list", "--kept")
    assert.match(listed.stdout, /PSP .*CERTIFICATE ENDS/)
    assert.include(listed.stdout, "0123456789abcdef")
    const other = await run("list", "--kept", "--psp", "00000000-0000-7000-8000-0000000000bb")
    assert.match(other.stderr, /No credentials are kept of a PSP .*bb: pagora psp list --kept/)
  })
})
