import type { Centavos, PspCredentialId, RawNotification } from "@pagora/core"
import type { Bank } from "./banks/Bank.ts"
import type { Machine } from "./Machine.ts"
import type { Answered, Door, Payers } from "./programs/Door.ts"
import type { World } from "./World.ts"
import { present } from "../Present.ts"

/** Whoever has heard nothing after so long hears nothing any more. */
const patience = "40 seconds"

/** Answers once, and after a while in any case. */
const within = <A>(
  world: World,
  lost: A,
  ask: (answered: (answer: A) => void) => void,
  answered: (answer: A) => void
): void => {
  let isOver = false
  const end = (answer: A): void => {
    if (isOver) return
    isOver = true
    answered(answer)
  }
  world.after(patience, () => end(lost))
  ask(end)
}

/** What clients call. It takes a moment, and who is not there is noticed at once. */
export const doorOf = (world: World, machines: ReadonlyArray<Machine>): Door => ({
  call: (process, caller, { body, headers, method, path }, answered) => {
    const machine = machines[process % machines.length]
    const request = { method, path, headers, ...present({ body }) }
    const chance = world.chance("clients: their network")
    within<Answered>(
      world,
      "lost",
      (told) =>
        world.after(chance.below(4), () =>
          machine?.handle(caller, request, (answer) => {
            // The answer, too, can be lost on its way.
            if (answer === undefined || (world.isFaulty() && chance.happens(0.01)))
              return told("lost")
            const { header, status, text } = answer
            told({ status, headers: header, text, json: jsonOf(answer) })
          })
        ),
      answered
    )
  }
})

const jsonOf = ({
  header,
  text
}: {
  readonly header: (name: string) => string | undefined
  readonly text: string
}): unknown =>
  header("content-type")?.startsWith("application/json") === true && text !== ""
    ? JSON.parse(text)
    : undefined

/** How banks bring their notifications: to one of the machines, as a load balancer would. */
export const notifierOf =
  (world: World, machines: ReadonlyArray<Machine>) =>
  (bank: PspCredentialId) =>
  (notification: RawNotification, answered: (isTaken: boolean) => void): void => {
    const machine = world.chance(`notices of ${bank}`).pick(machines)
    const headers: Record<string, string> = {}
    for (const [name, value] of Object.entries(notification.headers))
      if (value !== undefined) headers[name] = value
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(notification.query))
      if (value !== undefined) query.set(name, value)
    const request = {
      method: "POST",
      path: `/psp/${bank}/webhook${notification.path}${query.size === 0 ? "" : `?${query}`}`,
      headers,
      body: new TextDecoder().decode(notification.body)
    }
    machine.handle("tenant", request, (answer) => answered(answer?.status === 200))
  }

/** A company, and somebody who is none. */
const company = { name: "Empresa Fictícia Ltda", document: "11222333000181" }
const person = { name: "Ana Beatriz Souza", document: "12345678909" }

/** The hands of payers, and of those who work at the banks: whose reference it is, that bank acts. */
export const payersOf = (banks: ReadonlyArray<Bank>): Payers => ({
  pay: (reference, { amount, document, times = 1 }) => {
    const payer = document === undefined ? person : { ...company, document }
    for (let nth = 0; nth < times; nth++)
      for (const bank of banks)
        bank.pay(reference, amount === undefined ? undefined : (BigInt(amount) as Centavos), payer)
  },
  settlePayout: (reference, outcome) => {
    for (const bank of banks)
      bank.settlePayout(reference, outcome === "rejected" ? "failed" : outcome)
  },
  settleRefund: (reference, outcome) => {
    for (const bank of banks)
      bank.settleRefund(reference, outcome === "rejected" ? "error" : outcome)
  },
  found: (reference) => {
    const moved = banks.flatMap(({ book }) =>
      book.movements.filter((movement) => movement.reference === reference)
    )
    const isUnderWay = banks.some(({ hands }) =>
      [...hands.payouts(), ...hands.refunds()].includes(reference)
    )
    if (isUnderWay) return undefined
    return moved.some(({ _tag }) => _tag === "Payout" || _tag === "Return") ? "completed" : "failed"
  }
})
