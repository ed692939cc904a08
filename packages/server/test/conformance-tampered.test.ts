import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { conformance, conformanceSections } from "@pagora/testkit"
import type { ConformanceReport, ConformanceTarget } from "@pagora/testkit"
import { randomUUID } from "node:crypto"
import type { Deployment } from "./OnPostgreSQL.test-data.ts"
import { startOnPostgreSQL } from "./OnPostgreSQL.test-data.ts"
import type { Answered, Passing, Tamper, TamperingProxy } from "./TamperingProxy.test-data.ts"
import { startTamperingProxy } from "./TamperingProxy.test-data.ts"

// A kit that cannot fail proves nothing: each fault is planted between it and a deployment, and it must be seen.

interface Plant {
  readonly fault: string
  readonly tamper: Tamper
  readonly check: string
  readonly says: RegExp
}

type Body = Readonly<Record<string, unknown>>

/** Changes the JSON of answers to one method and path. */
const rewriting = (
  method: string,
  path: RegExp,
  change: (body: Body, answer: Answered) => Body
): Tamper => ({
  answer: (answer, request) =>
    request.method === method && path.test(request.path)
      ? { ...answer, body: JSON.stringify(change(JSON.parse(answer.body) as Body, answer)) }
      : answer
})

const answering = (from: number, to: number): Tamper => ({
  answer: (answer) => (answer.status === from ? { ...answer, status: to } : answer)
})

const signingWith = (headers: Passing["headers"]): Tamper => ({
  webhook: (webhook) => [{ ...webhook, headers: { ...webhook.headers, ...headers } }]
})

let answers = 0

const plants: ReadonlyArray<Plant> = [
  {
    fault: "a required field is missing",
    tamper: rewriting("POST", /\/pix$/, ({ pixCopyPaste: _, ...rest }) => rest),
    check:
      "POST /pix takes an amount alone, and answers 201 with a pending charge that can be paid",
    says: /pixCopyPaste: expected a string.*got nothing/
  },
  {
    fault: "a field is there that the specification does not name",
    tamper: rewriting("POST", /\/pix$/, (body) => ({ ...body, internalNote: "x" })),
    check:
      "POST /pix takes an amount alone, and answers 201 with a pending charge that can be paid",
    says: /internalNote: the specification names no such field/
  },
  {
    fault: "an amount is a string",
    tamper: rewriting("GET", /\/transactions\//, (body) => ({
      ...body,
      amount: String(body["amount"])
    })),
    check:
      "GET /transactions/{id} of a pending charge has its code and end, and nothing of a payment",
    says: /amount: expected a number in BRL.*got "12.34"/
  },
  {
    fault: "an optional field is null instead of absent",
    tamper: rewriting("GET", /\/transactions\//, (body) => ({ ...body, paidAt: null })),
    check:
      "GET /transactions/{id} of a pending charge has its code and end, and nothing of a payment",
    says: /paidAt: expected an RFC 3339 date-time in UTC, got null/
  },
  {
    fault: "a create answers 200",
    tamper: answering(201, 200),
    check: "POST /auth gives a Bearer JWT for 300 seconds, and no refresh token",
    says: /Expected status 201, got 200/
  },
  {
    fault: "a request without a token is answered 200",
    tamper: answering(401, 200),
    check:
      "every endpoint but POST /auth answers 401 without a token, or with one that is not ours",
    says: /Expected status 401, got 200/
  },
  {
    fault: "a missing permission is let through",
    tamper: answering(403, 201),
    check: "POST /pix needs PIX:WRITE or FULL_ACCESS, and no other permission will do",
    says: /Expected status 403, got 201/
  },
  {
    fault: "an error has no timestamp",
    tamper: rewriting("GET", /\/transactions\//, ({ timestamp: _, ...rest }) => rest),
    check: "GET /transactions/{id} answers 404 with resource and id for what is unknown",
    says: /timestamp: expected an RFC 3339 date-time in UTC, got nothing/
  },
  {
    fault: "errors of POST /auth have the envelope of the others",
    tamper: rewriting("POST", /\/auth$/, (body, { status }) => ({ ...body, statusCode: status })),
    check: "POST /auth answers 400 in two fields when a part is missing",
    says: /statusCode: the specification names no such field/
  },
  {
    fault: "what belongs to another tenant is answered differently",
    tamper: rewriting("GET", /\/transactions\//, (body) => ({
      ...body,
      message: `Not found (${(answers += 1)}).`
    })),
    check: "another tenant's transactions of every kind are not found by their ids",
    says: /the answer to .*Not found/
  },
  {
    fault: "the Idempotency-Key is lost",
    tamper: {
      request: ({ headers: { "idempotency-key": _, ...headers }, ...rest }) => ({
        ...rest,
        headers
      })
    },
    check: "POST /pix with one Idempotency-Key makes one charge, and another body is 422",
    says: /bytes of the second answer: expected/
  },
  {
    fault: "a sub-account is reached without sub-account access",
    tamper: answering(403, 200),
    check:
      "GET /account acts on a sub-account only with sub-account access, which no permission replaces",
    says: /Expected status 403, got 200/
  },
  {
    fault: "more withdrawals are accepted than the balance covers",
    tamper: answering(400, 201),
    check: "60 withdrawals of R$ 1 at once on a balance of R$ 20 are exactly 20",
    says: /accepted: expected 20, got 60/
  },
  {
    fault: "a fee is a centavo too high",
    tamper: rewriting("POST", /\/withdrawals$/, (body) => ({ ...body, feeAmount: 2.01 })),
    check: "POST /withdrawals of a netAmount debits that and the fee of the gross amount",
    says: /feeAmount: expected 2, got 2.01/
  },
  {
    fault: "a payment is refunded twice",
    tamper: answering(409, 201),
    check: "20 refunds of one payment at once are one",
    says: /accepted: expected 1, got 20/
  },
  {
    fault: "a filter is not looked at",
    tamper: { request: (request) => ({ ...request, path: request.path.replace(/\?.*/, "") }) },
    check: "GET /balance-blocks filters by each status, and refuses others with 400",
    says: /total: expected 1, got 4/
  },
  {
    fault: "a name may be used twice",
    tamper: answering(409, 201),
    check: "POST /projects with a name that is there is 409, in this account only",
    says: /Expected status 409, got 201/
  },
  {
    fault: "the balance is off by a centavo",
    tamper: rewriting(
      "GET",
      /\/account$/,
      (body) => JSON.parse(JSON.stringify(body).replaceAll('"amount":984', '"amount":985')) as Body
    ),
    check: "a payment credits its amount less the fee, half a centavo rounded up",
    says: /balance.available.amount: expected 984, got 985/
  },
  {
    fault: "webhooks are signed with another secret",
    tamper: signingWith({ "x-service-signature": `sha256=${"0".repeat(64)}` }),
    check: "payment_completed leaves optional fields out rather than null",
    says: /x-service-signature: expected sha256=\w+, got sha256=0{64}/
  },
  {
    fault: "the time of a delivery is in seconds",
    tamper: signingWith({ "x-service-timestamp": String(Math.floor(Date.now() / 1000)) }),
    check: "payment_completed leaves optional fields out rather than null",
    says: /x-service-timestamp: expected epoch milliseconds/
  },
  {
    fault: "a body was written anew on its way",
    tamper: {
      webhook: (webhook) => [
        { ...webhook, body: JSON.stringify(JSON.parse(webhook.body), null, 1) }
      ]
    },
    check: "payment_completed leaves optional fields out rather than null",
    says: /x-service-signature: expected/
  },
  {
    fault: "every event is told twice",
    tamper: {
      webhook: (webhook) => [
        webhook,
        { ...webhook, headers: { ...webhook.headers, "x-service-webhook-id": randomUUID() } }
      ]
    },
    check: "a payment that is told many times is credited once, with one event",
    says: /payment_completed: expected 1, got 2/
  }
]

const only = (title: string) => ({
  only: (check: { readonly title: string }) => check.title === title
})

describe("the conformance kit", { timeout: 60_000 }, () => {
  let deployment: Deployment
  let proxy: TamperingProxy
  let target: ConformanceTarget

  const against = (title: string, tamper: Tamper): Promise<ConformanceReport> => {
    proxy.tamper = tamper
    return conformance(target, only(title))
  }

  beforeAll(async () => {
    deployment = await startOnPostgreSQL(["--manual"])
    const { pagora } = deployment
    proxy = await startTamperingProxy(`http://127.0.0.1:${pagora.port}`)
    target = {
      ...pagora.facts,
      baseUrl: `${proxy.url}/v2`,
      operatorUrl: `${proxy.url}/operator/v1`
    }
  })

  afterAll(async () => {
    await proxy.close()
    await deployment.end()
  })

  it.for(plants)("reports that $fault", async ({ check, says, tamper }) => {
    const clean = await against(check, {})
    assert.deepStrictEqual(clean.failed, [])
    assert.deepStrictEqual(
      clean.passed.map((one) => one.check),
      [check]
    )
    const { failed, passed } = await against(check, tamper)
    assert.deepStrictEqual(passed, [])
    assert.strictEqual(failed.length, 1)
    assert.strictEqual(failed[0]?.check, check)
    assert.match(failed[0]?.message ?? "", says)
    assert.isAbove(failed[0]?.rules.length ?? 0, 0)
  })

  it("shows the request of what it found as curl, without its token", async () => {
    const check = "GET /account answers 401, 403 and 404 as the specification documents"
    const { failed } = await against(check, answering(403, 200))
    const message = failed[0]?.message ?? ""
    assert.include(
      message,
      `curl -i -X GET '${proxy.url}/v2/account' -H "authorization: Bearer $TOKEN"`
    )
    assert.notMatch(message, /eyJ/)
  })

  it("skips with a reason what only a sandbox can cause", async () => {
    const { sandboxUrl: _, ...production } = target
    const check = "payment_completed leaves optional fields out rather than null"
    const { failed, passed, skipped } = await conformance(production, only(check))
    assert.deepStrictEqual([failed, passed], [[], []])
    assert.deepStrictEqual(
      skipped.map(({ why }) => why),
      ["the deployment has no sandbox API"]
    )
  })

  it("fails every check of a deployment that is not there", async () => {
    const nowhere = { ...target, baseUrl: "http://127.0.0.1:1/v2" }
    const [section] = conformanceSections
    const titles = new Set(section?.checks.map(({ title }) => title))
    const report = await conformance(nowhere, { only: ({ title }) => titles.has(title) })
    assert.strictEqual(report.passed.length, 0)
    assert.strictEqual(report.failed.length, titles.size)
  })
})
