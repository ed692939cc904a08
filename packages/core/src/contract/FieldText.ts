/** What a reader is told of a field. */
export interface FieldText {
  readonly description: string
  readonly example?: unknown
  readonly format?: "uuid" | "uri" | "date-time"
}

const uuid = (description: string): FieldText => ({
  description,
  format: "uuid",
  example: "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
})
const brl = (description: string, example = 100): FieldText => ({
  description: `${description}, in BRL with at most two decimals.`,
  example
})
const time = (description: string, example = "2026-11-21T12:00:00.000Z"): FieldText => ({
  description,
  example
})
const text = (description: string, example: unknown): FieldText => ({ description, example })

/**
 * By name, or by the name of the object around it and its own where the name alone says too little. Fields without
 * an entry appear all the same; a test asks for it.
 */
export const fieldTexts: Readonly<Record<string, FieldText>> = {
  // Errors.
  statusCode: { description: "The HTTP status." },
  error: { description: "The class of the error; it follows from the status." },
  message: text(
    "For people, and may change: what is wrong and what to do.",
    "amount: Send 0.01 or more."
  ),
  details: text("For programs: `code` is stable, the other fields depend on it.", {
    code: "VALIDATION_ERROR",
    issues: [{ field: "amount", message: "The smallest amount is 0.01." }]
  }),
  timestamp: time("When it was sent."),
  traceId: text(
    "Quote it when you report a problem. It is the one of your `traceparent` header when you send one.",
    "4bf92f3577b34da6a3ce929d0e0e4736"
  ),
  // Authentication.
  client_id: uuid("The id of the credential."),
  client_secret: text("Shown once, when the credential was made.", "cs_…"),
  access_token: text("A JWT. Treat it as opaque.", "eyJhbGciOiJIUzI1NiIs…"),
  token_type: { description: "How to send it." },
  expires_in: text("Seconds until it ends.", 300),
  // Transactions and charges.
  id: uuid("Its id."),
  "path.id": text("Which one.", "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"),
  status: { description: "Where it stands." },
  type: { description: "What kind of movement it is." },
  paymentMethod: { description: "How the money travels." },
  amount: brl("The amount"),
  currency: { description: "Always BRL." },
  createdAt: time("When it was created."),
  updatedAt: time("When it last changed."),
  description: text("Free text.", "Order 1001"),
  externalReference: text(
    "Your own reference. It need not be unique: the newest is found.",
    "order-1001"
  ),
  customerId: uuid("The customer whose data came with the charge."),
  projectId: uuid("The project it belongs to."),
  metadata: text("Free key-value pairs, answered as they were sent.", { cart: "77" }),
  pixCopyPaste: text(
    "The code that the payer pastes (BR Code). Only while a payment is pending.",
    "00020101021226…6304ABCD"
  ),
  expiresAt: time("When it can no longer be paid.", "2026-11-22T12:00:00.000Z"),
  paidAt: time("When the payer paid, by the payment institution's clock."),
  e2eId: text("The end-to-end id of the PIX network.", "E9999999920261121120099999999999"),
  counterpartName: text("The other side's name, as the payment institution tells it.", "Ana Souza"),
  counterpartDocument: text("The other side's CPF or CNPJ, unmasked.", "52998224725"),
  failureReason: text("Why it failed, as a stable word.", "deposit_blocked"),
  failureMessage: text("Why it failed, for people.", "The key does not exist any more."),
  blockedDeposit: { description: "There when money arrived and was not credited." },
  "blockedDeposit.reason": text("Why it was not credited.", "payer_cnpj_not_allowed"),
  "blockedDeposit.refund": { description: "How its way back to the payer goes." },
  "refund.status": { description: "How far the return is." },
  "refund.e2eId": text("The end-to-end id of the return; null until it is known.", null),
  "refund.settledAt": text("When the return arrived; null until then.", null),
  customer: { description: "Who is asked to pay. May be partial." },
  "customer.name": text("The customer's name.", "Ana Souza"),
  "customer.document": text("A CPF or CNPJ, with or without punctuation.", "529.982.247-25"),
  "customer.email": text("The customer's e-mail address.", "ana@example.com"),
  "customer.phone": text("The customer's telephone.", "+5511987654321"),
  pspCredentialId: uuid(
    "Which of the payment institutions that the account may use; the account's usual one when absent."
  ),
  expiresIn: text("Seconds until the charge can no longer be paid; 86400 when absent.", 3600),
  split: { description: "How the amount is divided among wallets of the account; the rest stays." },
  "split.subAccount": text(
    "The reference of the wallet; `principal` is the main account.",
    "loja-2"
  ),
  "split.amount": brl("The part of this wallet", 30),
  qrCodeBase64: text("The QR code as a PNG, base64 without a `data:` prefix.", "iVBORw0KGgo…"),
  pspPaymentId: text(
    "The charge's id at the payment institution (txid).",
    "7978c0c97ea847e78e8849634473c1f1"
  ),
  // Withdrawals.
  pixKey: text("The recipient's PIX key.", "ana@example.com"),
  pixKeyType: { description: "What kind of key it is." },
  holderName: text("The holder of the recipient's account.", "Ana Souza"),
  holderDocument: text("The holder's CPF or CNPJ.", "52998224725"),
  holderDocumentType: { description: "Which of the two it is." },
  netAmount: brl("What arrives, the fee taken off", 98.5),
  feeAmount: brl("The fee", 1.5),
  snapshotHolderName: text("The holder's name when it was created.", "Ana Souza"),
  snapshotHolderDocument: text("The holder's document when it was created.", "52998224725"),
  snapshotPixKey: text("The key when it was created.", "ana@example.com"),
  snapshotPixKeyType: { description: "The key's type when it was created." },
  processedAt: time("When its outcome was known."),
  pspReference: text("Its id at the payment institution.", "E9999999920261121120099999999999"),
  // Refunds.
  refundedAmount: brl(
    "What goes back of a payment by refunds, or went: there once a part was asked for",
    30
  ),
  refundableAmount: brl("What of such a payment can still be asked back", 70),
  reason: text("Why, in your words.", "The order was cancelled."),
  originalTransactionId: uuid("The payment that is refunded."),
  pspProvider: text("The payment institution that does it.", "sandbox"),
  pspRefundTransactionId: text(
    "Its id at the payment institution.",
    "D9999999920261121120099999999999"
  ),
  returnId: text("The id of the return in the PIX network.", "D9999999920261121120099999999999"),
  // Projects, sub-accounts, account.
  name: text("Its name: 1 to 255 characters.", "Loja Azul"),
  color: text("A colour as # and six hex digits.", "#1A2B3C"),
  logoUrl: {
    description: "An address of the web.",
    format: "uri",
    example: "https://example.com/logo.png"
  },
  reference: text("Your name for it: unique in the account, never changed.", "loja-2"),
  account: { description: "Who you are." },
  companyName: text("The company's name.", "Loja Azul"),
  document: text("The CPF or CNPJ.", "11222333000181"),
  "account.status": text("`approved` may do everything.", "approved"),
  balance: { description: "What the wallet holds." },
  available: { description: "What can be spent." },
  promotional: { description: "What pays fees only." },
  held: { description: "What waits for a withdrawal's outcome or is blocked." },
  total: { description: "All of it." },
  ".total": text("How many there are in all.", 1),
  ...Object.fromEntries(
    ["available", "promotional", "held", "total"].flatMap((figure) => [
      [`${figure}.amount`, text("Centavos.", 10_000)],
      [`${figure}.amountFormatted`, brl("The same figure", 100)]
    ])
  ),
  // Lists.
  items: { description: "The page's items." },
  data: { description: "The items, or what an event tells." },
  page: text("The number of the page, from 1.", 1),
  limit: text("How many items a page has at most.", 20),
  totalPages: text("How many pages there are.", 1),
  sortBy: { description: "What they are sorted by." },
  sortOrder: { description: "In which direction." },
  cursor: text("The `nextCursor` of the page before.", "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"),
  nextCursor: text("Send it as `cursor` for the next page; null on the last.", null),
  from: text("The reference of the wallet it comes from; the acting one when absent.", "principal"),
  to: text("The reference of the wallet it goes to.", "loja-2"),
  "query.from": { ...time("Those created at this time or later."), format: "date-time" },
  "query.to": { ...time("Those created at this time or before."), format: "date-time" },
  transferId: uuid("What joins its two legs."),
  // Blocks.
  transactionId: uuid("The transaction it is about."),
  approvedAmount: brl("What of it goes back, where that is not all of it", 40),
  blockType: text("What kind of block it is.", "med"),
  referenceNumber: text("The number of the case.", "2026-0001"),
  resolutionReason: text("Why it was decided so.", "The defence was accepted."),
  resolvedAt: time("When it was decided."),
  balanceBlockId: uuid("The block."),
  responseDueAt: time("Until when it can be answered."),
  defenseSubmittedAt: time("When a defence was sent."),
  // Webhook endpoints.
  url: {
    description: "An https address, to which events are sent by POST.",
    format: "uri",
    example: "https://shop.example.com/webhooks"
  },
  events: text("The kinds of event it gets; every kind when absent.", ["payment_completed"]),
  enabled: text("Whether events are sent to it.", true),
  disabledReason: text(
    "Why it is off: its owner asked for it, it answered 410, or all that was sent to it failed for five days.",
    "failing"
  ),
  disabledAt: time("Since when it is off."),
  failingSince: time("The first of the failures since it last took a delivery."),
  previousSecretUntil: time("Until when the former secret signs beside the new one."),
  secret: text("The signing secret, shown once.", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
  graceSeconds: text("How long the former secret signs beside the new one.", 86_400),
  since: time("From when on."),
  until: time("Up to when: the time of the request."),
  endpointId: uuid("The endpoint."),
  "path.deliveryId": text("Which delivery.", "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"),
  attempts: { description: "What came of every try, oldest first." },
  number: text("Counts the tries, from 1.", 1),
  at: time("When it was begun."),
  outcome: text(
    "`answered`, or why there was no answer: `timeout`, `connection`, `dns`, `tls`, `endpoint_disabled` and the like.",
    "answered"
  ),
  httpStatus: text("The status of the answer; null when there was none.", 200),
  durationMillis: text("How long it took, in milliseconds.", 120),
  // Events.
  event: { description: "The kind of event." },
  eventId: text(
    "Unique in the account for ever: deduplicate on it. Usually the transaction's id.",
    "019a2b3c-4d5e-7f60-8a1b-2c3d4e5f6071"
  ),
  subAccount: text("The sub-account it belongs to; null for the main account.", null),
  environment: { description: "Whether the money is real." },
  completedAt: time("When it was completed."),
  expiredAt: time("When it expired."),
  failedAt: time("When it failed."),
  reversedAt: time("When it came back."),
  reversedAmount: brl("What came back"),
  withdrawalId: uuid("The withdrawal."),
  received: { description: "It was taken down." }
}
