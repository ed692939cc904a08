import type { PspShape } from "@pagora/core"
import type { Caller } from "../World.ts"
import type { BankCharges } from "./BankCharges.ts"
import type { BankDesk } from "./BankDesk.ts"
import type { BankLies } from "./BankLies.ts"
import type { BankPayouts } from "./BankPayouts.ts"
import type { BankReturns } from "./BankReturns.ts"

/** The calls of one process, each of which goes to the desk. */
export const doorOf = ({
  books: { charges, payouts, returns },
  caller,
  desk,
  lies
}: {
  readonly caller: Caller
  readonly desk: BankDesk
  readonly books: {
    readonly charges: BankCharges
    readonly payouts: BankPayouts
    readonly returns: BankReturns
  }
  readonly lies: BankLies
}): Omit<PspShape, "provider" | "environment" | "capabilities" | "readNotification"> => ({
  createCharge: (asked) =>
    desk.serve(caller, {
      method: "createCharge",
      reference: asked.reference,
      carryOut: (shown) => charges.create(asked, shown),
      lies: () => lies.createCharge(asked)
    }),
  findCharge: (reference) =>
    desk.serve(caller, {
      method: "findCharge",
      reference,
      carryOut: (_, age) => charges.find(reference, age),
      lies: () => lies.findCharge
    }),
  cancelCharge: (reference) =>
    desk.serve(caller, {
      method: "cancelCharge",
      reference,
      carryOut: () => charges.cancel(reference),
      lies: () => lies.cancelCharge(reference)
    }),
  sendPayout: (asked) =>
    desk.serve(caller, {
      method: "sendPayout",
      reference: asked.reference,
      carryOut: (shown) => payouts.send(asked, shown),
      lies: () => lies.sendPayout(asked)
    }),
  findPayout: ({ reference }) =>
    desk.serve(caller, {
      method: "findPayout",
      reference,
      carryOut: (_, age) => payouts.find(reference, age),
      lies: () => lies.findPayout
    }),
  refund: (asked) =>
    desk.serve(caller, {
      method: "refund",
      reference: asked.reference,
      carryOut: (shown) => returns.send(asked, shown),
      lies: () => lies.refund(asked)
    }),
  findRefund: ({ reference }) =>
    desk.serve(caller, {
      method: "findRefund",
      reference,
      carryOut: (_, age) => returns.find(reference, age),
      lies: () => lies.findRefund
    })
})
