import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Chance } from "../fuzz/Chance.ts"
import type { HttpAnswer } from "../RunningPagora.ts"
import type { Asked } from "./SoakCheck.ts"
import type { SoakProcess } from "./SoakProcesses.ts"

/** Who asks. */
export interface SoakShop {
  readonly clientId: string
  readonly clientSecret: string
}

/** Everything that was asked for and told, and how often each status came. */
export interface SoakTale {
  readonly asked: Array<Asked>
  readonly answers: Map<string, number>
  /** Keys that nobody answered for good in time. */
  given: number
}

/** What a client needs of a process. */
type Asking = Pick<SoakProcess, "api" | "sandbox">

/** How long a client goes on with one key. */
const goOnMillis = 180_000

/** Asks as a real client does: any process, a time-out, and the same key until it knows. */
const insisting = (
  processes: ReadonlyArray<Asking>,
  shop: SoakShop,
  tale: SoakTale,
  chance: Chance,
  told: (name: string) => void
) => {
  let token = ""

  const once = async (
    process: Asking,
    method: string,
    path: string,
    key: string,
    body: unknown
  ): Promise<HttpAnswer | undefined> => {
    try {
      if (token === "") {
        const granted = await process.api("POST", "/auth", {
          body: { client_id: shop.clientId, client_secret: shop.clientSecret }
        })
        if (granted.status !== 200) {
          told(`auth ${granted.status}`)
          return undefined
        }
        token = String(granted.json["access_token"])
      }
      const answer = await process.api(method, path, {
        ...(body === undefined ? {} : { body }),
        headers: { authorization: `Bearer ${token}`, "idempotency-key": key }
      })
      told(`${method} ${answer.status} ${String(answer.json["details"]?.["code"] ?? "")}`.trim())
      if (answer.status === 401) token = ""
      return answer
    } catch {
      told("no answer")
      return undefined
    }
  }

  const isFinal = ({ json, status }: HttpAnswer): boolean =>
    status < 500 &&
    status !== 401 &&
    status !== 429 &&
    String(json["details"]?.["code"]) !== "IDEMPOTENCY_KEY_IN_USE"

  /** Asks until somebody knows, and then sometimes once more: the same must be told. */
  return async (path: string, body: unknown): Promise<ReadonlyArray<HttpAnswer>> => {
    const key = randomUUID()
    const good: Array<HttpAnswer> = []
    for (const from = performance.now(); performance.now() - from < goOnMillis;) {
      const answer = await once(chance.pick(processes), "POST", path, key, body)
      if (answer !== undefined && isFinal(answer)) {
        if (answer.status >= 300) return good
        good.push(answer)
        if (good.length > 1 || !chance.happens(0.2)) return good
      }
      await sleep(200 + chance.below(800))
    }
    tale.given++
    return good
  }
}

/** A client that charges, withdraws and refunds until a time. */
export const makeClient = (
  processes: ReadonlyArray<Asking>,
  shop: SoakShop,
  tale: SoakTale,
  chance: Chance
) => {
  const told = (name: string): void => {
    tale.answers.set(name, (tale.answers.get(name) ?? 0) + 1)
  }

  const insist = insisting(processes, shop, tale, chance, told)

  const idsOf = (answers: ReadonlyArray<HttpAnswer>, field: string) =>
    answers.map(({ json }) => String(json[field]))

  const charge = async (): Promise<void> => {
    const [amount, reference] = [100 + chance.below(10_000), randomUUID()]
    const answers = await insist("/pix", { amount: amount / 100, externalReference: reference })
    tale.asked.push({ kind: "charge", reference, amount, told: idsOf(answers, "id") })
    const id = answers[0]?.json["id"]
    if (id === undefined) return
    const paid = await chance
      .pick(processes)
      .sandbox("POST", `/charges/${String(id)}/pay`, { body: {} })
      .catch(() => undefined)
    told(`pay ${paid?.status ?? "no answer"}`)
    if (paid?.status !== 200 || !chance.happens(0.4)) return
    const refunds = await insist(`/transactions/${String(id)}/refund`, {})
    tale.asked.push({
      kind: "return",
      reference: String(id),
      amount,
      told: idsOf(refunds, "pspRefundTransactionId")
    })
  }

  const withdraw = async (): Promise<void> => {
    const [amount, reference] = [100 + chance.below(5_000), randomUUID()]
    const answers = await insist("/withdrawals", {
      amount: amount / 100,
      pixKey: "ana@example.com",
      pixKeyType: "email",
      externalReference: reference
    })
    tale.asked.push({ kind: "withdrawal", reference, amount, told: idsOf(answers, "id") })
  }

  return async (until: number): Promise<void> => {
    while (performance.now() < until) {
      await (chance.happens(0.6) ? charge() : withdraw())
      await sleep(20 + chance.below(100))
    }
  }
}
