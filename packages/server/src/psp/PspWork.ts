import { pspFindings } from "@pagora/core"
import { Effect } from "effect"
import { printJson, printTable } from "../commands/Printer.ts"
import type { Column } from "../commands/Table.ts"
import type { ConfiguredPsp } from "./ConfiguredPsps.ts"
import { configuredPsps } from "./ConfiguredPsps.ts"
import type { Finding } from "./Findings.ts"
import { printFindings, unlooked } from "./Findings.ts"
import { givenPublicUrl, neededPublicUrl, wantedAt, webhookUrlOf } from "./PublicUrl.ts"

interface Asked {
  readonly config: string | undefined
  readonly psp: string | undefined
  readonly json: boolean
}

interface Listed {
  readonly id: string
  readonly provider: string
  readonly environment: string
  readonly default: boolean
  /** What it does beside charges and returns. */
  readonly can: ReadonlyArray<string>
}

const listed = ({ id, isDefault, psp }: ConfiguredPsp): Listed => ({
  id,
  provider: psp.provider,
  environment: psp.environment,
  default: isDefault,
  can: [
    ...(psp.capabilities.payouts === "none" ? [] : ["payouts"]),
    ...(psp.listPayments === undefined ? [] : ["payment lists"]),
    ...(psp.findInfraction === undefined ? [] : ["infractions"]),
    ...(psp.prepare === undefined ? [] : ["setup"]),
    ...(psp.check === undefined ? [] : ["check"])
  ]
})

const columns: ReadonlyArray<Column<Listed>> = [
  { title: "ID", of: ({ id }) => id },
  { title: "PROVIDER", of: ({ provider }) => provider },
  { title: "ENVIRONMENT", of: ({ environment }) => environment },
  { title: "DEFAULT", of: (one) => (one.default ? "yes" : "no") },
  { title: "CAN", of: ({ can }) => can.join(", ") }
]

/** `pagora psp list` */
export const listPsps = Effect.fnUntraced(function* ({ config, json: isJson, psp }: Asked) {
  const all = (yield* configuredPsps(config, psp)).map(listed)
  yield* isJson ? printJson({ psps: all }) : printTable(columns, all)
}, Effect.scoped)

/** What each PSP finds of itself, one after the other in what is answered. */
export const examined = (
  psps: ReadonlyArray<ConfiguredPsp>,
  publicUrl: string | undefined
): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.map(
    Effect.forEach(
      psps,
      ({ id, psp }) =>
        Effect.map(pspFindings(psp, wantedAt(publicUrl, id)), (findings) =>
          findings.length === 0 ? [unlooked(id)] : findings.map((one) => ({ part: id, ...one }))
        ),
      { concurrency: "unbounded" }
    ),
    (all) => all.flat()
  )

/** `pagora psp check` */
export const checkPsps = Effect.fnUntraced(function* (
  /** The address is empty where it is not known. */
  asked: Asked & { readonly publicUrl: string }
) {
  const publicUrl = yield* givenPublicUrl(asked.publicUrl)
  const psps = yield* configuredPsps(asked.config, asked.psp)
  yield* printFindings(yield* examined(psps, publicUrl), asked)
}, Effect.scoped)

/** `pagora psp setup` */
export const setUpPsps = Effect.fnUntraced(function* (
  /** The address is empty where it is not known. */
  asked: Asked & { readonly publicUrl: string }
) {
  const publicUrl = yield* neededPublicUrl(asked.publicUrl)
  const psps = yield* configuredPsps(asked.config, asked.psp)
  const findings = yield* Effect.forEach(psps, ({ id, psp }) =>
    psp.prepare === undefined
      ? Effect.succeed([nothingToSetUp(id)])
      : Effect.map(psp.prepare({ webhookUrl: webhookUrlOf(publicUrl, id) }), (found) =>
          found.map((one): Finding => ({ part: id, ...one }))
        )
  )
  yield* printFindings(findings.flat(), asked)
}, Effect.scoped)

const nothingToSetUp = (part: string): Finding => ({
  part,
  name: "setup",
  state: "ok",
  message: "There is nothing to set up by its layer (prepare of PspShape)."
})
