import type { Ask, KnownCredential } from "./Asked.ts"
import { acknowledgement, lastAnswer } from "./Asked.ts"
import { processesMax } from "./DrawRush.ts"
import { at, brl, rowsOf, textAt } from "./Json.ts"
import type { Fields } from "./Json.ts"
import { nthOf } from "./Memory.ts"
import type { KnownAccount } from "./Memory.ts"
import { referenceOf } from "./Names.ts"
import type { Operation, OperationOf } from "./Operation.ts"
import { ofOperator, ofShop } from "./Stage.ts"
import type { Performers, Stage } from "./Stage.ts"

const changeOf = ({ change, size }: OperationOf<"changeAccount">): Fields => {
  switch (change) {
    case "fees":
      return { fees: { payment: { fixed: brl(size) }, refund: { fixed: brl(size) } } }
    case "limits":
      return { limits: { withdrawal: { daily: brl(20_000 + size * 500) } } }
    case "policy":
      return { policy: { blockCnpjPayers: size % 2 === 0 } }
    default:
      return { status: change }
  }
}

type Kinds =
  | "openAccount"
  | "openSubAccount"
  | "changeSubAccount"
  | "project"
  | "changeAccount"
  | "issue"
  | "revoke"
  | "review"
  | "audit"

/** What says who may do what, and what persons decide. */
export const rules: Performers<Kinds> = {
  openAccount: (operation, stage) => {
    const { memory } = stage
    const reference = referenceOf(operation.id)
    const body = { name: reference }
    const told = { method: "POST", path: "/accounts", body, shop: -1, reference } as const
    stage.send(ofOperator(operation, told), (asked) => {
      const id = textAt(acknowledgement(asked)?.json, "id")
      if (id === "" || memory.accounts.some((known) => known.id === id)) return
      const account: KnownAccount = { id }
      memory.accounts.push(account)
      letIn(operation, stage, account)
    })
  },

  openSubAccount: (operation, { memory, send }, shop) => {
    const { other, reference: name } = operation
    const credential = other === undefined ? undefined : nthOf(memory.accounts, other)?.credential
    if (other !== undefined && credential === undefined) return
    const body = { reference: name, name: `Filial ${operation.id}` }
    const wallet = "principal"
    send(
      ofShop(operation, shop, {
        method: "POST",
        path: "/sub-accounts",
        body,
        wallet,
        subject: name,
        ...(credential === undefined ? {} : { credential, shop: -1 })
      })
    )
  },

  changeSubAccount: (operation, { send, world }, shop) => {
    const { change, fee, reference } = operation
    const body = change === "fees" ? { fees: { payment: { fixed: brl(fee) } } } : { status: change }
    world.reached(`subAccount: ${shop.subAccounts.get(reference)?.status ?? "none"} × ${change}`)
    const path = `/accounts/${shop.id}/sub-accounts/${reference}`
    send(ofOperator(operation, { method: "PATCH", path, body, wallet: reference }))
  },

  project: (operation, { send }, shop) => {
    const { name } = operation
    const body = { name, color: "#1A2B3C" }
    send(ofShop(operation, shop, { method: "POST", path: "/projects", body, subject: name }))
  },

  changeAccount: (operation, { memory, send, world }, shop) => {
    const { change, other } = operation
    const subject = other === undefined ? shop.id : nthOf(memory.accounts, other)?.id
    if (subject === undefined) return
    world.reached(`account: any × ${change}`)
    const body = changeOf(operation)
    const told = { method: "PATCH", path: `/accounts/${subject}`, body } as const
    send({
      ...ofOperator(operation, { ...told, wallet: "principal", subject }),
      ...(other === undefined ? {} : { shop: -1 })
    })
  },

  issue: (operation, { send }, shop) => {
    const { isFull } = operation
    const body = isFull
      ? { permissions: ["FULL_ACCESS"], subAccountAccess: true }
      : { permissions: ["ACCOUNT:READ"] }
    const path = `/accounts/${shop.id}/credentials`
    const told = { method: "POST", path, body, wallet: "principal" } as const
    // Whoever gets one tries it.
    send(ofOperator(operation, told), (asked) => {
      const id = textAt(acknowledgement(asked)?.json, "clientId")
      const credential = shop.credentials.find((known) => known.id === id)
      if (credential === undefined) return
      const look = ofShop(operation, shop, { method: "GET", path: "/account", credential })
      send({ ...withoutKey(look), name: "look account", wallet: "principal" })
    })
  },

  revoke: (operation, stage, shop) => {
    // Never the first one, so that the shop can go on.
    const credential = nthOf(shop.credentials.slice(1), operation.credential)
    if (credential === undefined) return
    credential.isRevoked = true
    const path = `/accounts/${shop.id}/credentials/${credential.id}`
    const told = { method: "DELETE", path, wallet: "principal", subject: credential.id } as const
    const use = ofShop(operation, shop, { method: "GET", path: "/account", credential })
    // Whoever has it uses it everywhere, up to the end and on.
    stage.send({ ...withoutKey(use), name: "look account", wallet: "principal" }, () => {
      for (const ask of asTheRevoked(operation, credential)) stage.send(ask)
      stage.send(ofOperator(operation, told), (asked) => {
        if (asked.outcome !== "done") return
        credential.isGone = true
        tryRevoked(operation, stage, credential)
      })
    })
  },

  review: (operation, stage, shop) => {
    const path = `/reviews?account=${shop.id}&limit=20`
    const list = { ...ofOperator(operation, { method: "GET", path }), name: "list reviews" }
    stage.send(withoutKey(list), (asked) => {
      const waiting = nthOf(rowsOf(lastAnswer(asked)?.json), operation.review)
      if (waiting !== undefined) decide(operation, stage, waiting)
    })
  },

  audit: (operation, { send, violated }) => {
    const path = `/audit?scope=${operation.scope}`
    send(ofOperator(operation, { method: "GET", path, shop: -1 }), (asked) => {
      const answer = lastAnswer(asked)
      if (answer?.status !== 200 || at(answer.json, "ok") === true) return
      violated(`the audit of operation ${operation.id} found: ${answer.text.slice(0, 1_000)}`)
    })
  }
}

/** A question to each process by whoever has a token of a credential. */
const asTheRevoked = ({ id, shop }: Operation, { token }: KnownCredential): ReadonlyArray<Ask> =>
  token === undefined
    ? []
    : Array.from({ length: processesMax }, (_, process) => ({
        name: "look revoked",
        operation: id,
        shop,
        wallet: "principal",
        as: "tenant",
        process,
        method: "GET",
        path: "/account",
        authorization: token.text
      }))

/** The operator lets the owner of an account in, who looks at it. */
const letIn = (operation: Operation, { send }: Stage, account: KnownAccount): void => {
  const body = { permissions: ["FULL_ACCESS"], subAccountAccess: true }
  const path = `/accounts/${account.id}/credentials`
  const ofNoShop = { name: "issue", shop: -1, wallet: "principal" } as const
  const issue = ofOperator(operation, { method: "POST", path, body, ...ofNoShop })
  send(withoutKey(issue), (asked) => {
    const json = acknowledgement(asked)?.json
    const [id, secret] = [textAt(json, "clientId"), textAt(json, "clientSecret")]
    if (id === "") return
    account.credential = { id, secret, isFull: true, isRevoked: false }
    const look = { ...ofNoShop, name: "look account", as: "tenant", method: "GET" } as const
    const { process } = operation
    send({
      ...look,
      operation: operation.id,
      process,
      path: "/account",
      credential: account.credential
    })
  })
}

/** Whoever still has a token of a credential that is gone is not let in, wherever he asks. */
export const tryRevoked = (
  operation: Operation,
  { send, violated }: Stage,
  credential: KnownCredential
): void => {
  for (const ask of asTheRevoked(operation, credential))
    send(ask, ({ outcome }) => {
      if (outcome === "done")
        violated(`operation ${operation.id} was answered to a credential that was revoked before`)
    })
}

const withoutKey = <A extends { readonly key?: string }>({ key: _, ...ask }: A): Omit<A, "key"> =>
  ask

/** A person decides what waits for one, as it is found at the bank; what is not decided there waits on, unless he is hasty. */
const decide = (operation: OperationOf<"review">, stage: Stage, waiting: Fields): void => {
  const calls = waiting["calls"]
  const [call] = Array.isArray(calls) ? (calls as ReadonlyArray<string>) : []
  if (call === undefined) return
  const found = stage.payers.found(textAt(waiting, "reference"))
  const outcome = found ?? (operation.isHasty ? "failed" : undefined)
  const isDiscrepancy = textAt(waiting, "type") === "discrepancy"
  if (outcome === undefined && !isDiscrepancy) return
  const [, path = ""] = call.split(" ")
  // The first call of what was refused is the one that tries anew, which is for what the bank has not done.
  const isRetry = path.endsWith("/retry")
  if (isRetry && outcome === "completed") return
  const reason = "Looked at the bank."
  const body = isDiscrepancy || isRetry ? { reason } : { outcome, reason }
  const name = isRetry ? "retry" : `decide ${textAt(waiting, "type")}`
  stage.send({ ...ofOperator(operation, { method: "POST", path, body }), name })
}
