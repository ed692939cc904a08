import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Chance } from "../fuzz/Chance.ts"
import type { HttpAnswer, HttpCall } from "../RunningPagora.ts"
import type { Asked } from "./LoadCheck.ts"

/** Who asks. */
export interface Shop {
  readonly accountId: string
  readonly clientId: string
  readonly clientSecret: string
}

/** Everything that was asked for and told, and how often each status came. */
export interface LoadTale {
  readonly asked: Array<Asked>
  readonly answers: Map<string, number>
  /** Keys that nobody answered for good in time. */
  given: number
}

export const newTale = (): LoadTale => ({ asked: [], answers: new Map(), given: 0 })

/** What a client needs of a process. */
export interface Asking {
  readonly api: HttpCall
}

/** Whom a client asks, as whom, and where it notes what it was told. */
export interface ClientOptions {
  readonly processes: ReadonlyArray<Asking>
  readonly shop: Shop
  readonly tale: LoadTale
  readonly chance: Chance
  /** Milliseconds between one try and the next, at least. Default 200. */
  readonly pauseMillis?: number
}

/** How long a client goes on with one key. */
const goOnMillis = 180_000

const isFinal = ({ json, status }: HttpAnswer): boolean =>
  status < 500 &&
  status !== 401 &&
  status !== 429 &&
  String(json.details?.code) !== "IDEMPOTENCY_KEY_IN_USE"

/** What became of one key. */
export interface Insisted {
  /** Each 2xx; more than one where it asked again. */
  readonly good: ReadonlyArray<HttpAnswer>
  /** It was told for good that nothing comes of it. */
  readonly isRefused: boolean
  /** The first answer to it: a status, or `no answer`. */
  readonly first: string
}

/** Asks as a real client does: any process, a time-out, and the same key until it knows. */
const insisting = (options: ClientOptions) => {
  const { chance, pauseMillis = 200, processes, shop, tale } = options
  let token = ""
  const told = (name: string): void => {
    tale.answers.set(name, (tale.answers.get(name) ?? 0) + 1)
  }

  const once = async (
    { api }: Asking,
    path: string,
    key: string,
    body: unknown
  ): Promise<HttpAnswer | undefined> => {
    try {
      if (token === "") {
        const granted = await api("POST", "/auth", {
          body: { client_id: shop.clientId, client_secret: shop.clientSecret }
        })
        if (granted.status !== 200) {
          told(`auth ${granted.status}`)
          return undefined
        }
        token = String(granted.json["access_token"])
      }
      const answer = await api("POST", path, {
        body,
        headers: { authorization: `Bearer ${token}`, "idempotency-key": key }
      })
      told(`POST ${answer.status} ${String(answer.json.details?.code ?? "")}`.trim())
      if (answer.status === 401) token = ""
      return answer
    } catch {
      told("no answer")
      return undefined
    }
  }

  /** Asks until somebody knows, and then sometimes once more: the same must be told. */
  return async (path: string, body: unknown): Promise<Insisted> => {
    const key = randomUUID()
    const good: Array<HttpAnswer> = []
    let first: string | undefined
    for (const from = performance.now(); performance.now() - from < goOnMillis;) {
      const answer = await once(chance.pick(processes), path, key, body)
      first ??= answer === undefined ? "no answer" : String(answer.status)
      if (answer !== undefined && isFinal(answer)) {
        if (answer.status >= 300) return { good, isRefused: good.length === 0, first }
        good.push(answer)
        if (good.length > 1 || !chance.happens(0.2)) return { good, isRefused: false, first }
      }
      await sleep(pauseMillis + chance.below(4 * pauseMillis))
    }
    tale.given++
    return { good, isRefused: false, first: first ?? "no answer" }
  }
}

const idsOf = (answers: ReadonlyArray<HttpAnswer>, field: string): ReadonlyArray<string> =>
  answers.map(({ json }) => String(json[field]))

/** What a client asks for, each noted with what it was told. */
export const makeOrders = (options: ClientOptions) => {
  const { chance, tale } = options
  const insist = insisting(options)
  const note = (asked: Omit<Asked, "told" | "isRefused">, { good, isRefused }: Insisted) => {
    const field = asked.kind === "return" ? "pspRefundTransactionId" : "id"
    tale.asked.push({ ...asked, told: idsOf(good, field), isRefused })
  }
  return {
    /** Answers the id of the charge, where there is one. */
    charge: async (more: object = {}) => {
      const [amount, reference] = [100 + chance.below(10_000), randomUUID()]
      const body = { amount: amount / 100, externalReference: reference, ...more }
      const insisted = await insist("/pix", body)
      note({ kind: "charge", reference, amount }, insisted)
      const id: unknown = insisted.good[0]?.json["id"]
      return { ...insisted, amount, id: id === undefined ? undefined : String(id) }
    },
    withdraw: async (more: object = {}): Promise<Insisted> => {
      const [amount, reference] = [100 + chance.below(5_000), randomUUID()]
      const insisted = await insist("/withdrawals", {
        amount: amount / 100,
        pixKey: "ana@example.com",
        pixKeyType: "email",
        externalReference: reference,
        ...more
      })
      note({ kind: "withdrawal", reference, amount }, insisted)
      return insisted
    },
    refund: async (id: string, amount: number, more: object = {}): Promise<Insisted> => {
      const insisted = await insist(`/transactions/${id}/refund`, more)
      note({ kind: "return", reference: id, amount }, insisted)
      return insisted
    }
  }
}

/** A client that charges, withdraws and refunds for as long as it is told. `pay` says what came of paying a charge. */
export const makeClient = (
  options: ClientOptions & { readonly pay: (chargeId: string) => Promise<string> }
) => {
  const { chance, pay, tale } = options
  const orders = makeOrders(options)
  const chargeAndSo = async (): Promise<void> => {
    const { amount, id } = await orders.charge()
    if (id === undefined) return
    const paid = await pay(id)
    tale.answers.set(`pay ${paid}`, (tale.answers.get(`pay ${paid}`) ?? 0) + 1)
    if (paid !== "200" || !chance.happens(0.4)) return
    // Until it is settled there is nothing to refund.
    await sleep(300 + chance.below(600))
    await orders.refund(id, amount)
  }
  return async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      await (chance.happens(0.6) ? chargeAndSo() : orders.withdraw())
      await sleep(20 + chance.below(100))
    }
  }
}
