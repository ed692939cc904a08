import type { Journey } from "@pagora/testkit"
import { journey } from "@pagora/testkit"
import { Effect } from "effect"
import type { Centavos } from "../../src/kernel/Money.ts"
import { ReportWorker } from "../../src/psp-reports/ReportWorker.ts"
import { SandboxPsp } from "../../src/sandbox-psp/SandboxPsp.ts"
import { listed } from "../blocks/BalanceBlocks.test-data.ts"
import { operate, rowsOf } from "../reviews/Reviews.test-data.ts"

export const brl = (amount: number) => BigInt(amount * 100) as Centavos

/** Everything that waits for a person, each with its kind and why. */
export const line = Effect.map(rowsOf("/reviews"), (rows) =>
  rows.map(({ reason, type }) => `${type} ${reason}`)
)

/** A shop with its endpoint and a payment of 10.00, at a service that looks through lists. */
export const paidShop = Effect.gen(function* () {
  yield* Effect.flatMap(ReportWorker, ({ begin }) => begin)
  const story = yield* journey({ subAccountAccess: true })
  yield* story.endpoint()
  const charge = yield* story.charge()
  const [endToEndId = ""] = yield* story.payAtBank(charge)
  yield* story.drain
  const sandbox = yield* SandboxPsp
  return { story, sandbox, charge, endToEndId, before: yield* story.figures }
})

/** Fraud is reported about the payment, which the PSP gives notice of. */
export const reportedShop = Effect.gen(function* () {
  const shop = yield* paidShop
  const infraction = yield* shop.sandbox.reportInfraction(shop.endToEndId, "Golpe do Pix.")
  yield* shop.story.drain
  return { ...shop, infraction }
})

export const statuses = (story: Parameters<typeof listed>[0]) =>
  Effect.map(listed(story), (blocks) => blocks.map(({ status }) => status))

export const names = (story: Parameters<typeof listed>[0]) =>
  Effect.map(story.events(), (events) =>
    events.map(({ event }) => event).filter((event) => event.startsWith("balance_block"))
  )

/** The open returns of the PSP that wait for a person at a shop. */
export const openReturns = ({ shop }: Pick<Journey, "shop">) =>
  Effect.map(rowsOf("/reviews"), (rows) =>
    rows.filter(({ accountId, type }) => type === "psp_return" && accountId === shop.id)
  )

/** A person says who bears the only return of the PSP that waits at a shop. */
export const decideReturn = Effect.fnUntraced(function* (
  story: Pick<Journey, "shop">,
  outcome: "charged" | "absorbed"
) {
  const [{ id } = { id: "" }] = yield* openReturns(story)
  return yield* operate("POST", `/psp-returns/${id}/resolve`, { outcome, reason: "Looked at it." })
})

/** In centavos: what is with the payer by the books of the PSP. */
export const withPayer = Effect.fnUntraced(function* (endToEndId: string) {
  const { psp } = yield* SandboxPsp
  const outcome = yield* psp.findPayment?.(endToEndId) ?? Effect.die("left out")
  const found = outcome._tag === "Done" ? outcome.value : undefined
  const made = found?.returns.filter(({ status }) => status !== "rejected") ?? []
  return Number(made.reduce((sum, { amount }) => sum + amount, 0n))
})
