import { expect, it } from "vitest"
import type { BankAccount } from "./BankAccount.ts"
import { spendable } from "./BankAccount.ts"
import { makeBankClock } from "./BankClock.ts"
import { makeBankIds } from "./BankIds.ts"
import { decideInfraction, reportInfraction } from "./Infractions.ts"
import { returnable } from "./Payment.ts"
import { payKey } from "./Payments.ts"
import { beginPayout, returnPayout, settlePayout } from "./Payouts.ts"
import { beginReturn, settleReturn } from "./Returns.ts"
import type { WorldEvent } from "./World.ts"
import { makeWorld } from "./World.ts"

const day = 86_400_000

const aWorld = () => {
  const clock = makeBankClock({ start: new Date("2026-01-01T00:00:00Z"), stands: true })
  const world = makeWorld({ clock, ids: makeBankIds(1), ispb: "09089356" })
  const blocked = { judicial: 0, med: 0 }
  const account: BankAccount = {
    id: "1",
    name: "Loja Azul",
    document: "11222333000181",
    keys: ["k"],
    balance: 0,
    blocked
  }
  world.accounts.push(account)
  const told: Array<WorldEvent["type"]> = []
  world.listen(({ type }) => void told.push(type))
  return { world, account, told }
}

it("gives back no more than came in, and frees what did not go", () => {
  const { account, told, world } = aWorld()
  const payment = payKey(world, "k", { centavos: 1000 })
  expect(payment.endToEndId).toMatch(/^E99999004202601010000[0-9a-z]{11}$/)
  const first = beginReturn(world, payment, { id: "r1", centavos: 600 })
  expect(() => beginReturn(world, payment, { id: "r2", centavos: 401 })).toThrow("More would")
  expect(() => beginReturn(world, payment, { id: "r1", centavos: 1 })).toThrow("already")
  expect(() => beginReturn(world, payment, { id: "r2", centavos: 0.5 })).toThrow(RangeError)
  settleReturn(world, payment, first, "NAO_REALIZADO")
  expect(() => settleReturn(world, payment, first, "DEVOLVIDO")).toThrow("NAO_REALIZADO")
  expect([returnable(payment), account.balance]).toEqual([1000, 1000])
  expect(told).toEqual(["payment_received", "return_begun", "return_changed"])
})

it("gives nothing back after 90 days", async () => {
  const { world } = aWorld()
  const payment = payKey(world, "k", { centavos: 1000 })
  await world.clock.advance(90 * day)
  beginReturn(world, payment, { id: "r1", centavos: 1 })
  await world.clock.advance(1)
  expect(() => beginReturn(world, payment, { id: "r2", centavos: 1 })).toThrow("90 days")
})

it("blocks what is reported as fraud until that is decided", () => {
  const { account, world } = aWorld()
  const payment = payKey(world, "k", { centavos: 1000 })
  const infraction = reportInfraction(world, payment)
  expect(spendable(account)).toBe(0)
  expect(() => beginReturn(world, payment, { id: "r1", centavos: 1 })).toThrow("too little")
  decideInfraction(world, infraction, "rejected")
  expect([spendable(account), returnable(payment)]).toEqual([1000, 1000])
  expect(() => decideInfraction(world, infraction, "accepted")).toThrow("rejected already")
  decideInfraction(world, reportInfraction(world, payment, { centavos: 400 }), "accepted")
  expect([account.balance, returnable(payment)]).toEqual([600, 600])
})

it("sends what is there, once, and takes back what comes back", () => {
  const { account, world } = aWorld()
  payKey(world, "k", { centavos: 1000 })
  const asked = { reference: "p1", recipientKey: "52998224725", centavos: 1001 }
  expect(() => beginPayout(world, account, asked)).toThrow("too little")
  const payout = beginPayout(world, account, { ...asked, centavos: 1000 })
  expect(() => settlePayout(world, payout, "reversed")).toThrow("processing")
  settlePayout(world, payout, "completed")
  returnPayout(world, payout, 300)
  expect([payout.status, account.balance]).toEqual(["completed", 300])
  settlePayout(world, payout, "reversed")
  expect([payout.status, account.balance]).toEqual(["reversed", 1000])
  expect(() => returnPayout(world, payout, 1)).toThrow("reversed")
})
