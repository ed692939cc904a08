import { DateTime, Effect, Result } from "effect"
import { present } from "../kernel/Present.ts"
import * as Document from "../kernel/Document.ts"
import type { PspCredentialId, Uuid } from "../kernel/Ids.ts"
import { idsAt, instantOf, isUuid } from "../kernel/Ids.ts"
import type {
  PspOutcome,
  PspPaymentsPage,
  PspPaymentsQuery,
  PspReceived,
  PspReceivedReturn,
  PspShape
} from "../ports/Psp.ts"
import { done } from "../ports/Psp.ts"
import { Storage } from "../storage/Storage.ts"
import type { StorageError } from "../units/Refused.ts"
import { nothingThere, reject, spoiled } from "./SandboxAnswers.ts"
import type { SandboxCharge, SandboxPayment } from "./SandboxCharge.ts"
import { toPspPayment } from "./SandboxCharge.ts"
import type { SandboxCharges } from "./SandboxCharges.ts"
import type { SandboxFaults } from "./SandboxFaults.ts"
import { SandboxReceiptKind } from "./SandboxReceipt.ts"
import type { SandboxRefund } from "./SandboxRefund.ts"
import type { SandboxRefunds } from "./SandboxRefunds.ts"

const pageSize = 100

/** The calls about payments by their end-to-end ids, each of which the faults may spoil. */
export const makeReceiptCalls = Effect.fnUntraced(function* (options: {
  readonly credential: PspCredentialId
  readonly charges: SandboxCharges
  readonly refunds: SandboxRefunds
  readonly faults: SandboxFaults
}) {
  const { charges, credential, faults, refunds } = options
  const storage = yield* Storage

  const received = Effect.fnUntraced(function* (
    charge: SandboxCharge,
    payment: SandboxPayment
  ): Effect.fn.Return<PspReceived, StorageError> {
    const found = yield* Effect.forEach(payment.returns ?? [], refunds.find)
    return {
      ...toPspPayment(payment),
      ...(charge.isDirect === true ? {} : { reference: charge.reference }),
      returns: found.flatMap((refund) => (refund === undefined ? [] : [returnOf(refund.value)]))
    }
  })

  const find = Effect.fnUntraced(function* (endToEndId: string) {
    const charge = (yield* charges.paidBy(endToEndId))?.value
    const payment = charge?.payments.find((one) => one.endToEndId === endToEndId)
    return charge === undefined || payment === undefined
      ? undefined
      : yield* received(charge, payment)
  })

  const list = Effect.fnUntraced(function* ({ cursor, from, to }: PspPaymentsQuery) {
    if (cursor !== undefined && !isUuid(cursor))
      return yield* reject("INVALID_CURSOR", "The cursor is none that a page has named.")
    const page = yield* storage.list(SandboxReceiptKind, {
      account: credential,
      order: "asc",
      limit: pageSize,
      after: (cursor as Uuid | undefined) ?? idsAt(from).first
    })
    const inTime = page.filter(({ value }) => DateTime.isLessThan(instantOf(value.id), to))
    const found = yield* Effect.forEach(inTime, ({ value }) => find(value.endToEndId), {
      concurrency: "unbounded"
    })
    const next = inTime.length === pageSize ? inTime.at(-1)?.value.id : undefined
    return {
      payments: found.flatMap((payment) => payment ?? []),
      ...present({ next })
    }
  })

  const confirm = Effect.fnUntraced(function* (endToEndId: string, document: string) {
    const given = Result.getOrUndefined(Document.parse(document))
    return given !== undefined && (yield* find(endToEndId))?.payer?.document === given
  })

  const calls: Pick<PspShape, "findPayment" | "listPayments" | "confirmPayer"> = {
    findPayment: Effect.fn("SandboxPsp.findPayment")((endToEndId) =>
      spoiled<PspReceived | undefined>(faults, "findPayment", find(endToEndId), nothingThere)
    ),
    listPayments: Effect.fn("SandboxPsp.listPayments")((query) =>
      spoiled<PspPaymentsPage>(faults, "listPayments", list(query), emptyPage)
    ),
    confirmPayer: Effect.fn("SandboxPsp.confirmPayer")(({ document, endToEndId }) =>
      spoiled<boolean>(faults, "confirmPayer", confirm(endToEndId, document), (is) => done(!is))
    )
  }
  return calls
})

const returnOf = (refund: SandboxRefund): PspReceivedReturn => ({
  reference: refund.reference,
  status: refund.status,
  amount: refund.amount,
  ...present({ returnId: refund.returnId, settledAt: refund.settledAt })
})

/** The lie that nothing was received. */
const emptyPage = ({ payments }: PspPaymentsPage): PspOutcome<PspPaymentsPage> | undefined =>
  payments.length === 0 ? undefined : done({ payments: [] })
