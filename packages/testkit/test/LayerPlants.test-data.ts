/** A violation, beside the same file done right. */
export interface Plant {
  readonly gate: string
  readonly path: string
  readonly dirty: string
  readonly clean: string
  /** What the report says of the dirty file: the rule, and words that only this rule's message has. */
  readonly says: ReadonlyArray<string>
}

export const core = "packages/core/src"
/** A file that imports no more than this. */
export const imports = (specifier: string) =>
  `import type { A } from "${specifier}"\nexport type B = A\n`

const layer = (
  name: string,
  path: string,
  banned: ReadonlyArray<string>,
  allowed: ReadonlyArray<string>,
  message: string
): ReadonlyArray<Plant> =>
  banned.map((specifier, index) => ({
    gate: `${name} import no ${specifier}`,
    path: `${core}/${path.replace("#", `plant${index}`)}`,
    dirty: imports(specifier),
    clean: allowed.map((good, n) => imports(good).replaceAll(/\b[AB]\b/g, `$&${n}`)).join(""),
    says: ["no-restricted-imports", `'${specifier}'`, message]
  }))

/**
 * Violations of the layers. `#` becomes a folder or a word of its own for each plant, so that one run shows them all.
 */
export const layers: ReadonlyArray<Plant> = [
  ...layer(
    "kernel files",
    "kernel/#.ts",
    ["../ledger/Posting.ts", "../ports/Psp.ts", "effect/Schema", "effect/http/HttpRouter", "jose"],
    ["effect", "./Money.ts"],
    "kernel/ imports"
  ),
  ...layer(
    "ledger files",
    "ledger/#.ts",
    ["../storage/Storage.ts", "../http/App.ts", "effect/sql/SqlClient", "../../other/X.ts"],
    ["effect", "./Posting.ts", "../kernel/Money.ts"],
    "other models only"
  ),
  ...layer(
    "models",
    "#/Charge.ts",
    [
      "../storage/Storage.ts",
      "../ports/StorageDriver.ts",
      "../units/Unit.ts",
      "../psp-calls/PspCall.ts",
      "../audit/Audit.ts",
      "../storage-memory/StorageMemory.ts",
      "../time/Ids.ts",
      "./ChargesApi.ts",
      "../http/App.ts",
      "effect/http/Headers",
      "jose"
    ],
    [
      "effect",
      "../units/Kind.ts",
      "../ports/Psp.ts",
      "./Split.ts",
      "../kernel/Money.ts",
      "../ledger/Posting.ts",
      "../accounts/Account.ts"
    ],
    "other models only"
  ),
  ...layer(
    "events",
    "#/ChargeEvents.ts",
    ["../storage/Storage.ts", "./ChargesHandlers.ts", "effect/crypto/Mac"],
    ["effect", "./Charge.ts", "../kernel/Money.ts"],
    "other models only"
  ),
  ...layer(
    "units",
    "units/#.ts",
    ["../ports/Psp.ts", "../charges/Charge.ts", "../http/App.ts", "effect/sql/SqlClient"],
    ["effect", "./Facts.ts", "../ledger/Posting.ts", "../kernel/Money.ts"],
    "units/ imports"
  ),
  ...layer(
    "ports",
    "ports/#.ts",
    ["../storage/Storage.ts", "../charges/Charge.ts", "../http/App.ts", "effect/http/HttpClient"],
    ["effect", "./Psp.ts", "../units/Unit.ts", "../ledger/Posting.ts", "../kernel/Money.ts"],
    "ports/ imports"
  ),
  ...layer(
    "the sandbox's PSP",
    "sandbox-psp/#.ts",
    ["../charges/Charge.ts", "../psp-inbox/PspInbox.ts", "../sandbox/Sandbox.ts", "../http/App.ts"],
    ["effect", "./SandboxPsp.ts", "../ports/Psp.ts", "../storage/Storage.ts", "../time/Ids.ts"],
    "sandbox-psp/ imports"
  ),
  ...["psp-calls", "audit", "storage", "storage-memory", "time"].flatMap((room) =>
    layer(
      `${room} files`,
      `${room}/#.ts`,
      [
        "effect/http-api/HttpApi",
        "effect/sql/SqlClient",
        "../http/App.ts",
        "../charges/ChargesApi.ts"
      ],
      ["effect", "../ports/Psp.ts", "../units/Unit.ts", "../ledger/Posting.ts"],
      "no services, no HTTP API"
    )
  ),
  ...layer(
    "rules of the audit",
    "audit/#ChargeAudit.ts",
    ["./AuditRun.ts", "../units/Unit.ts", "../charges/Charge.ts"],
    ["effect", "./AuditRule.ts", "../ledger/LedgerTx.ts", "../kernel/Money.ts"],
    "A rule of the audit imports"
  ),
  ...layer(
    "services",
    "#/Charges.ts",
    [
      "effect/http",
      "effect/http/HttpRouter",
      "effect/http-api",
      "effect/http-api/HttpApi",
      "effect/sql",
      "effect/sql/SqlClient",
      "@effect/sql-pg",
      "../http/Envelope.ts",
      "../admission/Authorization.ts",
      "../contract/Markup.ts",
      "../app/Services.ts",
      "./ChargesApi.ts",
      "./ChargesHandlers.ts",
      "./ChargesWire.ts"
    ],
    [
      "effect",
      "effect/crypto/Mac",
      "./Charge.ts",
      "../storage/Storage.ts",
      "../accounts/Accounts.ts"
    ],
    "neither HTTP nor SQL"
  ),
  ...layer(
    "workers",
    "#/ChargeExpirer.ts",
    ["effect/http/HttpClient", "./ChargesApi.ts"],
    ["effect", "./Charges.ts", "../storage/Storage.ts"],
    "neither HTTP nor SQL"
  ),
  ...layer(
    "contracts",
    "#/ChargesApi.ts",
    [
      "../ports/Psp.ts",
      "../storage/Storage.ts",
      "../units/Unit.ts",
      "./ChargesHandlers.ts",
      "effect/sql/SqlClient"
    ],
    [
      "effect",
      "effect/http-api/HttpApi",
      "./Charge.ts",
      "../units/DeliveryStatus.ts",
      "../http/ErrorEnvelope.ts"
    ],
    "never services, ports or handlers"
  ),
  ...layer(
    "webhook files",
    "webhook/#.ts",
    ["effect", "effect/encoding/Sse", "../http/Routes.ts", "../kernel/Money.ts", "node:crypto"],
    ["./WebhookError.ts", "../webhooks/EventSchemas.ts"],
    "runs without Effect"
  ),
  ...layer(
    "client files",
    "client/#.ts",
    [
      "../ports/StorageDriver.ts",
      "../storage/Storage.ts",
      "../charges/ChargesHandlers.ts",
      "effect/sql/SqlClient",
      "../node/X.ts"
    ],
    ["effect", "effect/http/HttpClient", "./Tokens.ts", "../app/Api.ts"],
    "client/ knows the contract"
  ),
  ...layer(
    "handlers",
    "#/ChargesHandlers.ts",
    [
      "../ports/StorageDriver.ts",
      "../storage/Storage.ts",
      "../time/Ids.ts",
      "../units/Unit.ts",
      "../app/Api.ts",
      "../accounts/AccountsHandlers.ts"
    ],
    [
      "effect",
      "../time/ServiceTime.ts",
      "../units/Refused.ts",
      "effect/http-api/HttpApiBuilder",
      "./Charges.ts",
      "./ChargesApi.ts",
      "./ChargesWire.ts",
      "../http/TenantApi.ts",
      "../admission/Idempotent.ts"
    ],
    "never the doors and what is behind them"
  ),
  ...layer(
    "what handlers share",
    "#/ChargesWire.ts",
    ["../storage/Storage.ts", "../units/Unit.ts", "./ChargesHandlers.ts"],
    ["effect", "./Charges.ts", "./ChargesApi.ts", "../http/ErrorEnvelope.ts"],
    "never the doors and what is behind them"
  ),
  ...layer(
    "core's composition",
    "app/Top#.ts",
    ["@effect/platform-node/NodeHttpServer", "@effect/platform-node", "../node/index.ts"],
    ["effect", "effect/http/HttpRouter", "./Routes.ts"],
    "Only core/src/node"
  )
]
