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

// ARCHITECTURE names the files of three walks, and what is entered there; here they are walked, and V8 tells what was entered,
// and in which order.

/** A file, and what is entered there. */
interface Step {
  readonly file: string
  readonly name: string
}

const walks = (): ReadonlyArray<ReadonlyArray<Step>> => {
  const [, section = ""] = readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8").split(
    "\n## Walks\n"
  )
  const [walked = ""] = section.split("\n## ")
  return walked
    .split("\n### ")
    .slice(1)
    .map((walk) =>
      Array.from(walk.matchAll(/^\d+\. `([^`]+)`, `(\w+)`/gm), ([, path = "", name = ""]) => ({
        file: path.startsWith("packages/") ? path : `packages/core/src/${path}`,
        name
      }))
    )
}

/** A file of which functions were called, and where those begin. */
interface Called {
  readonly scriptId: string
  readonly file: string
  readonly starts: ReadonlyArray<number>
}

const fileOf = (url: string): string => {
  const path = url.startsWith("file:") ? fileURLToPath(url) : url
  return path.startsWith("/") ? relative(root, path) : url
}

/** Tells what is called while something is done. */
const watching = async (session: Session) => {
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  return async (act: () => Promise<unknown>): Promise<ReadonlyArray<Called>> => {
    // Each answer tells what was called since the one before.
    await session.post("Profiler.takePreciseCoverage")
    await act()
    const { result } = await session.post("Profiler.takePreciseCoverage")
    return result.map(({ functions, scriptId, url }) => ({
      scriptId,
      file: fileOf(url),
      starts: functions.flatMap(({ ranges: [whole] }) =>
        whole === undefined || whole.count === 0 ? [] : [whole.startOffset]
      )
    }))
  }
}

/** From where to where in a source something stands that is declared under this name. */
const declared = (source: string, name: string): readonly [number, number] => {
  const declaration = String.raw`^(?:export )?(?:const|let|class|(?:async )?function)`
  const found = new RegExp(`${declaration} ${name}\\b`, "m").exec(source)
  if (found === null) return [0, 0]
  const next = new RegExp(`${declaration}\\b`, "gm")
  next.lastIndex = found.index + 1
  return [found.index, next.exec(source)?.index ?? source.length]
}

/** The functions of a step that were called. */
const startsOf = async (session: Session, called: ReadonlyArray<Called>, step: Step) => {
  const one = called.find(({ file }) => file === step.file)
  if (one === undefined) return undefined
  const { scriptId } = one
  const { scriptSource: source } = await session.post("Debugger.getScriptSource", { scriptId })
  const [from, to] = declared(source, step.name)
  const own = one.starts.filter((start) => start >= from && start < to)
  // A service whose work is done by functions beside it is entered with any of them.
  const starts = own.length === 0 ? one.starts : own
  return starts.length === 0 ? undefined : { scriptId, source, starts }
}
type Starts = NonNullable<Awaited<ReturnType<typeof startsOf>>>

/** Has the functions of a step say so when they are called, by breakpoints at which nothing stops. */
const say = async (session: Session, { scriptId, source, starts }: Starts, what: string) => {
  for (const start of starts) {
    const before = source.slice(0, start).split("\n")
    const position = { lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 }
    const {
      locations: [location]
    } = await session.post("Debugger.getPossibleBreakpoints", {
      start: { scriptId, ...position },
      restrictToFunction: true
    })
    const condition = `walked.push(${JSON.stringify(what)}), false`
    if (location !== undefined)
      await session.post("Debugger.setBreakpoint", { location, condition })
  }
}

const nameOf = ({ file, name }: Step): string => `${file} ${name}`

/** The first step that is not entered after those before it. */
const outOfOrder = (walk: ReadonlyArray<Step>, entered: ReadonlyArray<string>) => {
  let at = 0
  return walk.find((step) => {
    at = entered.indexOf(nameOf(step), at) + 1
    return at === 0
  })
}

/** A service, and what is done at it for each of the walks. */
const walker = async () => {
  const secret = randomBytes(32).toString("base64")
  const pagora = await Pagora.start({ storage: pglite(), psp: sandbox(), secret })
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
  const signingKey = Redacted.value(SecretsNode.sandboxSecret(Redacted.make(secret)))

  let charge = { id: "", pspCredentialId: "" }
  let withdrawals = 0
  const acts = [
    async () => {
      charge = await call("/pix", { amount: 10.5 }, authorization)
    },
    async () => {
      // As its PSP signs it: what the simulated one tells by itself does not come by HTTP.
      const notice = { pix: [{ txid: charge.id.replaceAll("-", "") }] }
      const signature = createHmac("sha256", signingKey)
        .update(JSON.stringify(notice))
        .digest("hex")
      const headers = { "x-sandbox-signature": signature }
      await call(`/psp/${charge.pspCredentialId}/webhook`, notice, headers)
      await pagora.sandbox.advance({ seconds: 0 })
    },
    async () => {
      const body = { amount: 5, pixKey: "ana@example.com", pixKeyType: "email" }
      const once = { "idempotency-key": `walk-${++withdrawals}-of-two` }
      await call("/withdrawals", body, { ...authorization, ...once })
      await pagora.sandbox.advance({ seconds: 0 })
    }
  ]
  /** Somebody pays, and the service has not heard of it. */
  const pay = async () => {
    await pagora.sandbox.setFaults({
      faults: [
        { operation: "notify", kind: "forget" },
        { operation: "findCharge", kind: "dropRequest" }
      ]
    })
    await pagora.sandbox.pay(charge.id)
    await pagora.sandbox.setFaults({ faults: [] })
  }
  return { pagora, acts, pay }
}

describe("the walks of ARCHITECTURE", { timeout: 180_000 }, () => {
  it("are those that a request, a notification and a withdrawal take, in their order", async () => {
    const { acts, pagora, pay } = await walker()
    const session = new Session()
    session.connect()
    const watch = await watching(session)
    const called: Array<ReadonlyArray<Called>> = []
    for (const [index, act] of acts.entries()) {
      if (index === 1) await pay()
      called.push(await watch(act))
    }

    await session.post("Debugger.enable")
    const missed: Array<string> = []
    const watched = new Set<string>()
    for (const [index, walk] of walks().entries())
      for (const step of walk) {
        const name = nameOf(step)
        const starts = await startsOf(session, called[index] ?? [], step)
        if (starts === undefined) missed.push(name)
        else if (!watched.has(name)) await say(session, starts, name)
        watched.add(name)
      }
    assert.deepStrictEqual(missed, [])
    // What is not on its way is not entered: else the watching would say nothing.
    const isCalled = (index: number, file: string) =>
      called[index]?.some(
        (one) => one.file === `packages/core/src/${file}` && one.starts.length > 0
      )
    assert.isFalse(isCalled(0, "withdrawals/Withdrawals.ts"))
    assert.isFalse(isCalled(2, "charges/NewCharge.ts"))

    const walked: Array<string> = []
    Object.assign(globalThis, { walked })
    for (const [index, act] of acts.entries()) {
      if (index === 1) await pay()
      walked.length = 0
      await act()
      const walk = walks()[index] ?? []
      assert.isUndefined(outOfOrder(walk, walked))
      assert.isDefined(outOfOrder(walk.toReversed(), walked))
    }
    session.disconnect()
    await pagora.stop()
  })
})
