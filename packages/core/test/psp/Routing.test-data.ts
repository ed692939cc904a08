import type { PagoraInstance, PspShape } from "@pagora/core"
import { PspOutcome } from "@pagora/core"
import { Effect } from "effect"
import { until } from "../world/Embedding.test-data.ts"
import { bankA, bankB, plainBank } from "./PlainBank.test-data.ts"

/** A bank that can be away: what it then does with whatever it is asked. */
const awayable = (provider: string) => {
  const bank = plainBank({ provider })
  let away: Effect.Effect<PspOutcome<never>> | undefined
  const unless = <I, A>(ask: (asked: I) => Effect.Effect<PspOutcome<A>>) => {
    return (asked: I): Effect.Effect<PspOutcome<A>> => Effect.suspend(() => away ?? ask(asked))
  }
  const psp: PspShape = {
    ...bank.psp,
    createCharge: unless(bank.psp.createCharge),
    findCharge: unless(bank.psp.findCharge),
    cancelCharge: unless(bank.psp.cancelCharge)
  }
  return {
    ...bank,
    psp,
    /** Nobody is reached there. */
    refuses: () => {
      away = Effect.succeed(PspOutcome.notSent("connection refused"))
    },
    /** It takes everything in and says nothing; that 15 seconds are another silence is told where time is a test's. */
    isSilent: () => {
      away = Effect.delay(Effect.succeed(PspOutcome.unknown("no answer")), "5200 millis")
    },
    isBack: () => {
      away = undefined
    }
  }
}

export const twoBanks = () => {
  const a = awayable("a")
  const b = awayable("b")
  return { a, b, psp: { default: bankA, psps: { [bankA]: a.psp, [bankB]: b.psp } } }
}
export type AwayableBank = ReturnType<typeof awayable>

/** Everything to the first bank, and to the other where that takes none. */
export const aElseB = { default: bankA, allowed: [bankA, bankB], rules: [to(bankA), to(bankB)] }

function to(psp: string) {
  return { to: [{ psp }] }
}

export interface Answered {
  readonly status: number
  readonly json: {
    readonly id: string
    readonly pspCredentialId: string
    readonly pspPaymentId: string
    readonly details?: { readonly code?: string }
  }
}

const send = async (
  pagora: PagoraInstance,
  path: string,
  content: object,
  headers: Record<string, string>
) => {
  const answer = await pagora.fetch(
    new Request(`http://pagora.test${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(content)
    })
  )
  return { status: answer.status, json: await answer.json() }
}

/** Charges of an account as its owner makes them, by HTTP. */
export const tenant = async (first: PagoraInstance, account: string) => {
  const { clientId, clientSecret } = await first.credentials.issue(account, {
    permissions: ["FULL_ACCESS"]
  })
  const body = { client_id: clientId, client_secret: clientSecret }
  const auth = (await send(first, "/auth", body, {})) as { json: { access_token: string } }
  const authorization = `Bearer ${auth.json.access_token}`
  const charge = async (
    content: object = {},
    key?: string,
    pagora: PagoraInstance = first
  ): Promise<Answered> => {
    const headers = { authorization, ...(key === undefined ? {} : { "idempotency-key": key }) }
    return (await send(pagora, "/pix", { amount: 10, ...content }, headers)) as Answered
  }
  return { charge }
}

/** The payer pays at this bank, which tells of it, and the money is in. */
export const isPaid = async (
  pagora: PagoraInstance,
  bank: AwayableBank,
  account: string,
  { json }: Answered
): Promise<void> => {
  bank.pay(json.pspPaymentId)
  await pagora.fetch(
    new Request(`http://pagora.test/psp/${json.pspCredentialId}/webhook`, {
      method: "POST",
      body: json.pspPaymentId
    })
  )
  let isIn = false
  await until(() => {
    void pagora.transactions.find(account, json.id).then(({ status }) => {
      isIn = status === "completed"
    })
    return isIn
  })
}

export const codeIn = ({ json, status }: Answered) => [status, json.details?.code]
