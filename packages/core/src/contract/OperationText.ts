/** What a reader of the contract is told of an endpoint, beside what its schemas say. */
export interface OperationText {
  /** Its name in generated clients; made of its group and its own name where it is left out. */
  readonly id?: string
  readonly summary: string
  readonly description: string
  /** The body of a request as an example, where that of all its fields at once would not be taken. */
  readonly request?: Readonly<Record<string, unknown>>
}

/** By method and path. An endpoint without an entry appears all the same; a test asks for its entry. */
export const operationTexts: Readonly<Record<string, OperationText>> = {
  "POST /auth": {
    id: "createToken",
    summary: "Get an access token",
    description:
      "Exchanges client credentials for a bearer token, good for 300 seconds. There is no refresh token: ask again. Its errors have two fields only, `error` and `message`."
  },
  "POST /pix": {
    id: "createCharge",
    summary: "Create a PIX charge",
    description:
      "Opens a charge and answers with its copy-and-paste code and its QR code. Only `amount` is required. What comes of it is told by the events `payment_completed`, `payment_expired` and `payment_failed`.\n\nWhen the payment institution does not answer, the request ends in 500 `PSP_UNAVAILABLE`; sent again with the same `Idempotency-Key` it goes on where it stopped.",
    request: {
      amount: 100,
      description: "Order 1001",
      customer: { name: "Ana Souza", document: "529.982.247-25" },
      expiresIn: 3600,
      externalReference: "order-1001",
      metadata: { cart: "77" }
    }
  },
  "POST /pix/{id}/cancel": {
    id: "cancelCharge",
    summary: "Cancel a pending charge",
    description: "Closes a charge that nobody has paid. A payment that comes later is returned."
  },
  "POST /withdrawals": {
    id: "createWithdrawal",
    summary: "Withdraw to a PIX key",
    description:
      "Accepts a withdrawal and holds its gross amount; send exactly one of `amount` (gross) and `netAmount`. The answer is not the outcome: that is told by `withdrawal_completed`, `withdrawal_failed` or `withdrawal_reversed`. A credential with an allowed IP list may withdraw from those addresses only.",
    request: {
      pixKey: "ana@example.com",
      pixKeyType: "email",
      holderName: "Ana Souza",
      amount: 100,
      externalReference: "payout-1001"
    }
  },
  "GET /withdrawals/{id}": {
    id: "getWithdrawal",
    summary: "Find a withdrawal",
    description: "By its id, your `externalReference`, or the `Idempotency-Key` of its creation."
  },
  "GET /withdrawals": {
    id: "listWithdrawals",
    summary: "List withdrawals",
    description: "Newest first."
  },
  "GET /transactions/{id}": {
    id: "getTransaction",
    summary: "Find a transaction",
    description:
      "The `id` is looked up, in this order, as a transaction's id, as your `externalReference`, as the `Idempotency-Key` it was created with. Where several match, the newest is answered."
  },
  "GET /transactions": {
    id: "listTransactions",
    summary: "List transactions",
    description: "Newest first, in pages: send the `nextCursor` of one page to get the next."
  },
  "POST /transactions/{id}/refund": {
    id: "refundTransaction",
    summary: "Refund a payment",
    description:
      "Gives a completed payment back, up to 90 days after it: `amount` of it, or all that is left. The answer says that it is on its way; `refund_completed` tells that it arrived. Its fee is debited beside the amount, and the fee of the payment stays. Send an `Idempotency-Key` with a part: two requests give two parts back."
  },
  "POST /projects": {
    id: "createProject",
    summary: "Create a project",
    description: "Its name is unique in the account."
  },
  "GET /projects": {
    id: "listProjects",
    summary: "List projects",
    description: "In numbered pages, sorted as asked."
  },
  "POST /sub-accounts": {
    id: "createSubAccount",
    summary: "Create a sub-account",
    description:
      "With a balance of its own, zero at first. Its reference is unique in the account and never changes; `principal` is reserved for the main account."
  },
  "GET /sub-accounts": {
    id: "listSubAccounts",
    summary: "List sub-accounts",
    description: "All of the account."
  },
  "GET /account": {
    id: "getAccount",
    summary: "Read the account and its balance",
    description: "Each figure stands there twice: `amount` in centavos, `amountFormatted` in BRL."
  },
  "GET /balance-blocks": {
    id: "listBalanceBlocks",
    summary: "List balance blocks",
    description: "Those of one `status`, or all."
  },
  "POST /internal-transfers": {
    id: "createInternalTransfer",
    summary: "Move balance between wallets",
    description:
      "From one wallet of the account to another, at once and without a fee. It does not travel over PIX."
  },
  "POST /webhook-endpoints": {
    id: "createWebhookEndpoint",
    summary: "Create a webhook endpoint",
    description:
      "At most ten for a wallet. Those of a sub-account are made with `X-Sub-Account`; one that has none has its events sent to the main account's. Without `events` it gets every kind. The answer has the signing secret, which is not shown again.",
    request: {
      url: "https://shop.example.com/webhooks",
      events: ["payment_completed", "payment_expired"]
    }
  },
  "GET /webhook-endpoints": {
    id: "listWebhookEndpoints",
    summary: "List webhook endpoints",
    description: "Those of the wallet, each with whether and why it is off."
  },
  "GET /webhook-endpoints/{id}": {
    id: "getWebhookEndpoint",
    summary: "Read a webhook endpoint",
    description: "Without its secret."
  },
  "PATCH /webhook-endpoints/{id}": {
    id: "changeWebhookEndpoint",
    summary: "Change a webhook endpoint",
    description:
      "Its address, the kinds of event it gets, whether it is on. Switched on, it is sent what it missed. What is left out stays.",
    request: { enabled: true }
  },
  "DELETE /webhook-endpoints/{id}": {
    id: "removeWebhookEndpoint",
    summary: "Remove a webhook endpoint",
    description: "Nothing more is sent to it; what waits for it is cancelled."
  },
  "POST /webhook-endpoints/{id}/rotate-secret": {
    id: "rotateWebhookSecret",
    summary: "Rotate the signing secret",
    description:
      "The answer has the new secret, which is not shown again. From now on it signs `X-Service-Signature`; for `graceSeconds` the former one signs `X-Service-Signature-Previous` beside it, and `webhook-signature` lists both. With 0 the former ends at once."
  },
  "POST /webhook-endpoints/{id}/test": {
    id: "testWebhookEndpoint",
    summary: "Send a test event",
    description:
      "Sends an event of the kind `webhook_test`, which nobody can subscribe to and which means nothing: its `data` has `endpointId` and a `message` only. It is signed, retried and logged as every event is."
  },
  "POST /webhook-endpoints/{id}/recover": {
    id: "recoverWebhookEndpoint",
    summary: "Send again what was missed",
    description:
      "Every delivery made since an instant that was given up is sent again as a new delivery of the same event, oldest first, in the background. An endpoint that takes a delivery after failures gets them without being asked."
  },
  "GET /webhook-endpoints/{id}/deliveries": {
    id: "listWebhookDeliveries",
    summary: "List deliveries",
    description: "Newest first, each with what came of every attempt."
  },
  "POST /webhook-endpoints/{id}/deliveries/{deliveryId}/resend": {
    id: "resendWebhookDelivery",
    summary: "Send a delivery again",
    description: "A new delivery of the same event, with the same bytes and attempts of its own."
  },
  "POST /psp/{pspCredentialId}/webhook": {
    id: "receivePspNotification",
    summary: "Take a payment institution's call",
    description:
      "For payment institutions, not for clients. What is sent, and how its sender proves who it is, is up to the PSP layer of the deployment. A notification is only a hint: what happened is always asked of the PSP itself."
  },
  "POST /psp/{pspCredentialId}/webhook/pix": {
    id: "receivePspPixNotification",
    summary: "Take a payment institution's call about Pix",
    description:
      "The same for payment institutions that add /pix to the address they were told, as the Pix API of the Central Bank has it."
  }
}

/** The groups of endpoints, in words. */
export const groupTexts: Readonly<Record<string, { name: string; description: string }>> = {
  auth: { name: "Authentication", description: "Client credentials for a short-lived token." },
  charges: { name: "PIX charges", description: "Money coming in." },
  withdrawals: { name: "Withdrawals", description: "Money going out to a PIX key." },
  transactions: { name: "Transactions", description: "Everything that moved money, or tried to." },
  refunds: { name: "Refunds", description: "Money going back to its payer." },
  projects: { name: "Projects", description: "Labels that group transactions." },
  subAccounts: { name: "Sub-accounts", description: "Wallets of their own under one account." },
  accounts: { name: "Account and balance", description: "Who you are and what you hold." },
  balanceBlocks: { name: "Balance blocks", description: "Balance under dispute." },
  transfers: { name: "Internal transfers", description: "Between wallets of one account." },
  webhookEndpoints: {
    name: "Webhook endpoints",
    description: "Where your events go, and what came of sending them."
  },
  "psp-inbox": { name: "PSP callbacks", description: "Where payment institutions call." }
}
