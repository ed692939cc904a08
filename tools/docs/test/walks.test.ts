import { assert, describe, it } from "@effect/vitest"
import { Pagora } from "@pagora/core"
import { SecretsNode } from "@pagora/core/node"
import { sandbox } from "@pagora/core/sandbox"
import { pglite } from "@pagora/postgres/pglite"
import { createHmac, randomBytes } from "node:crypto"
import { Redacted } from "effect"
import { readFileSync } from "node:fs"
import { Session } from "node:inspector/promises"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "../src/Session.ts"

// ARCHITECTURE names the files of three walks; here they are walked, and V8 tells which files were entered.

/** The files of each walk, by what stands in its heading. */
const walks = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const [, section = ""] = readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8").split(
    "\n## Walks\n"
  )
  const [walked = ""] = section.split("\n## ")
  return new Map(
    walked
      .split("\n### ")
      .slice(1)
      .map((walk) => {
        const [title = ""] = walk.split("\n")
        const files = Array.from(walk.matchAll(/^\d+\. `([^`]+)`/gm), ([, path = ""]) =>
          path.startsWith("packages/") ? path : `packages/core/src/${path}`
        )
        return [title, files] as const
      })
  )
}

/** What is entered while something is done: files of which a function was called. */
const watching = async () => {
  const session = new Session()
  session.connect()
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  return async (act: () => Promise<unknown>): Promise<ReadonlySet<string>> => {
    // Each answer tells what was called since the one before.
    await session.post("Profiler.takePreciseCoverage")
    await act()
    const { result } = await session.post("Profiler.takePreciseCoverage")
    const entered = result.filter(({ functions }) =>
      functions.some(({ ranges }) => ranges.some(({ count }) => count > 0))
    )
    return new Set(
      entered.flatMap(({ url }) => {
        const path = url.startsWith("file:") ? fileURLToPath(url) : url
        return path.startsWith("/") ? [relative(root, path)] : []
      })
    )
  }
}

describe("the walks of ARCHITECTURE", { timeout: 120_000 }, () => {
  it("are those that a request, a notification and a withdrawal take", async () => {
    const secret = randomBytes(32).toString("base64")
    const pagora = await Pagora.start({ storage: pglite(), psp: sandbox(), secret })
    const entered = await watching()
    const shop = await pagora.accounts.create({ name: "Loja Azul" })
    // Nothing need answer there: the try counts.
    await pagora.webhooks.create(shop.id, { url: "https://shop.example/hooks" })
    const json = { "content-type": "application/json" }
    const call = async (path: string, body: object, headers: object = {}) => {
      const request = new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { ...json, ...headers },
        body: JSON.stringify(body)
      })
      const answer = await pagora.fetch(request)
      const text = await answer.text()
      assert.isTrue(answer.ok, text)
      return JSON.parse(text)
    }
    const { clientId, clientSecret } = await pagora.credentials.issue(shop.id, {
      permissions: ["FULL_ACCESS"]
    })
    const { access_token } = await call("/auth", {
      client_id: clientId,
      client_secret: clientSecret
    })
    const authorization = { authorization: `Bearer ${access_token}` }

    let charge = { id: "", pspCredentialId: "" }
    const created = await entered(async () => {
      charge = await call("/pix", { amount: 10.5 }, authorization)
    })
    // As its PSP signs it: what the simulated one tells by itself does not come by HTTP.
    const key = Redacted.value(SecretsNode.sandboxSecret(Redacted.make(secret)))
    const notice = { pix: [{ txid: charge.id.replaceAll("-", "") }] }
    const signature = createHmac("sha256", key).update(JSON.stringify(notice)).digest("hex")
    const paid = await entered(async () => {
      await pagora.sandbox.pay(charge.id)
      const headers = { "x-sandbox-signature": signature }
      await call(`/psp/${charge.pspCredentialId}/webhook`, notice, headers)
      await pagora.sandbox.advance({ seconds: 0 })
    })
    const withdrawn = await entered(async () => {
      const body = { amount: 5, pixKey: "ana@example.com", pixKeyType: "email" }
      await call("/withdrawals", body, { ...authorization, "idempotency-key": "walk-0001" })
      await pagora.sandbox.advance({ seconds: 0 })
    })
    await pagora.stop()

    const missed = [...walks().values()].map((files, index) => {
      const seen = [created, paid, withdrawn][index]
      return files.filter((file) => seen?.has(file) !== true)
    })
    // What is not on its way is not entered: else the watching would say nothing.
    assert.isFalse(created.has("packages/core/src/withdrawals/Withdrawals.ts"))
    assert.isFalse(withdrawn.has("packages/core/src/charges/NewCharge.ts"))
    assert.deepStrictEqual(missed, [[], [], []])
  })
})
