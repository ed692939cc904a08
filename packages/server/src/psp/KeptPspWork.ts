import type { PspFinding } from "@pagora/core"
import { present } from "@pagora/core"
import type { OperatorAnswer, OperatorClient } from "@pagora/core/client"
import { Effect, Option } from "effect"
import { CommandFailed } from "../commands/CommandFailed.ts"
import type { Connection } from "../commands/OperatorConnection.ts"
import { keyed, operatorOf } from "../commands/OperatorConnection.ts"
import { printJson, printTable, printThing, remark } from "../commands/Printer.ts"
import type { Column } from "../commands/Table.ts"
import type { Finding } from "./Findings.ts"
import { printFindings, unlooked } from "./Findings.ts"
import { keptSettings } from "./KeptSettings.ts"
import { givenPublicUrl, neededPublicUrl } from "./PublicUrl.ts"

type Kept = OperatorAnswer<"pspCredentials", "list">["data"][number]

interface Printing {
  readonly json: boolean
}

/** Which of those that are kept; all of them where none is named. */
interface Chosen extends Connection, Printing {
  readonly psp: string | undefined
}

const columns: ReadonlyArray<Column<Kept>> = [
  { title: "PSP", of: ({ pspCredentialId }) => pspCredentialId },
  { title: "PROVIDER", of: ({ provider }) => provider },
  { title: "STATUS", of: ({ status }) => status },
  { title: "LABEL", of: ({ label }) => label ?? "" },
  { title: "CLIENT ID", of: ({ clientId }) => clientId ?? "" },
  { title: "ACCOUNT", of: ({ pspAccount }) => pspAccount ?? "" },
  { title: "FINGERPRINT", of: ({ fingerprint }) => fingerprint },
  { title: "CERTIFICATE ENDS", of: ({ certificateEndsAt }) => certificateEndsAt ?? "" },
  {
    title: "CHANGED",
    of: ({ createdAt, revokedAt, rotatedAt }) => revokedAt ?? rotatedAt ?? createdAt
  }
]

/** A bank is asked several things, one after the other, and may keep silent at each. */
const askingMillisMax = 300_000

const chosen = Effect.fnUntraced(function* (given: Chosen) {
  const operator = yield* operatorOf(given, { timeoutMillis: askingMillisMax })
  const { data } = yield* operator((ask) => ask("pspCredentials", "list", {}))
  const wanted = data.filter(
    ({ pspCredentialId }) => given.psp === undefined || pspCredentialId === given.psp
  )
  if (given.psp !== undefined && wanted.length === 0)
    return yield* new CommandFailed({
      message: `No credentials are kept of a PSP ${given.psp}: pagora psp list --kept shows which are.`
    })
  return { operator, wanted }
})

/** `pagora psp list --kept` */
export const listKept = Effect.fnUntraced(function* (given: Chosen) {
  const { wanted } = yield* chosen(given)
  yield* given.json ? printJson({ psps: wanted }) : printTable(columns, wanted)
})

/** An address of the tenants' API that may be empty where it is not known. */
interface Addressed {
  readonly publicUrl: string
}

/** Has each that is meant look or be set up, one after the other, and prints what was found. */
const asking = Effect.fnUntraced(function* (
  given: Chosen,
  call: (ask: OperatorClient, id: string) => Promise<OperatorAnswer<"pspCredentials", "check">>
) {
  const { operator, wanted } = yield* chosen(given)
  const isNamed = given.psp !== undefined
  const findings = yield* Effect.forEach(wanted, ({ pspCredentialId: id, status }) => {
    if (status === "revoked") return Effect.succeed(isNamed ? [revokedFinding(id)] : [])
    return Effect.map(
      operator((ask) => call(ask, id)),
      (found) => foundOf(id, found.findings)
    )
  })
  const all = findings.flat()
  yield* printFindings(all.length === 0 ? [noneKept] : all, given)
})

const foundOf = (part: string, findings: ReadonlyArray<PspFinding>): ReadonlyArray<Finding> =>
  findings.length === 0 ? [unlooked(part)] : findings.map((one) => ({ part, ...one }))

const revokedFinding = (part: string): Finding => ({
  part,
  name: "credentials",
  state: "failed",
  message: `They are revoked: what is new there is refused, and what was begun waits. Give others of the same account by pagora psp rotate ${part}.`
})

const noneKept: Finding = {
  part: "psps",
  name: "kept",
  state: "ok",
  message:
    "No credentials of PSPs are kept in the service: pagora psp add keeps some. Those that are revoked are in pagora psp list --kept."
}

/** `pagora psp check --kept` */
export const checkKept = Effect.fnUntraced(function* (given: Chosen & Addressed) {
  const publicUrl = yield* givenPublicUrl(given.publicUrl)
  yield* asking(given, (ask, id) =>
    ask("pspCredentials", "check", { params: { id }, query: present({ publicUrl }) })
  )
})

/** `pagora psp setup --kept` */
export const setUpKept = Effect.fnUntraced(function* (given: Chosen & Addressed) {
  const publicUrl = yield* neededPublicUrl(given.publicUrl)
  yield* asking(given, (ask, id) =>
    ask("pspCredentials", "setUp", { params: { id }, body: { publicUrl } })
  )
})

interface Changing extends Connection, Printing {
  readonly settings: string | undefined
  readonly idempotencyKey: Option.Option<string>
}

const printKept = (kept: Kept, flags: Printing) =>
  printThing(
    kept,
    (one) => columns.map(({ of, title }) => [title[0] + title.slice(1).toLowerCase(), of(one)]),
    flags
  )

/** `pagora psp add` */
export const addKept = Effect.fnUntraced(function* (
  given: Changing & {
    readonly provider: string | undefined
    readonly id: string | undefined
    readonly label: string | undefined
  }
) {
  const kept = yield* keptSettings(given.settings)
  if (kept.provider !== undefined && (given.provider ?? kept.provider) !== kept.provider)
    return yield* new CommandFailed({
      message: `PAGORA_BANK is ${kept.provider}, and --provider ${given.provider}: the settings are of one of them.`
    })
  const provider = given.provider ?? kept.provider
  if (provider === undefined)
    return yield* new CommandFailed({
      message: "Say with --provider what the settings are of, such as efi."
    })
  const operator = yield* operatorOf(given)
  const { environment, settings } = kept
  const body = {
    provider,
    settings,
    ...(environment === undefined ? {} : { environment }),
    ...(given.id === undefined ? {} : { pspCredentialId: given.id }),
    ...(given.label === undefined ? {} : { label: given.label })
  }
  const added = yield* operator((ask) =>
    ask("pspCredentials", "add", { body, ...keyed(given.idempotencyKey) })
  )
  yield* printKept(added, given)
  if (!given.json)
    yield* remark(
      `Every process of the service knows it now. Set it up with pagora psp setup --kept --psp ${added.pspCredentialId}, and let accounts use it: pagora account change <id> --psps ${added.pspCredentialId}`
    )
})

/** `pagora psp rotate` */
export const rotateKept = Effect.fnUntraced(function* (given: Changing & { readonly psp: string }) {
  const { environment, provider, settings } = yield* keptSettings(given.settings)
  const operator = yield* operatorOf(given)
  // Variables say which bank they are of; a file does not.
  const body = { settings, ...present({ provider, environment }) }
  const call = { params: { id: given.psp }, body, ...keyed(given.idempotencyKey) }
  const rotated = yield* operator((ask) => ask("pspCredentials", "rotate", call))
  yield* printKept(rotated, given)
  if (!given.json)
    yield* remark(
      `Every process of the service knows it now. Where the secret of its callbacks is another one, set it up anew: pagora psp setup --kept --psp ${given.psp}`
    )
})

/** `pagora psp revoke` */
export const revokeKept = Effect.fnUntraced(function* (
  given: Connection & Printing & { readonly psp: string }
) {
  const operator = yield* operatorOf(given)
  const params = { id: given.psp }
  yield* operator((ask) => ask("pspCredentials", "revoke", { params }))
  yield* given.json
    ? printJson({})
    : remark(
        `The credentials of the PSP ${given.psp} are destroyed. Revoke them at the bank, too: copies of the database still have them, sealed. Others of the same account: pagora psp rotate ${given.psp}`
      )
})
