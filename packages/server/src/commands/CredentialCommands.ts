import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { accountArgument } from "./AccountFlags.ts"
import { permissions } from "./ApiWords.ts"
import { anyNumber } from "./AnyNumber.ts"
import { confirm, yesFlag } from "./Confirmation.ts"
import { given } from "./Given.ts"
import {
  connectionFlags,
  idempotencyKeyFlag,
  jsonFlag,
  keyed,
  operatorOf
} from "./OperatorConnection.ts"
import { pageFlags, printPages } from "./Pages.ts"
import { printJson, printThing, remark } from "./Printer.ts"
import type { Column } from "./Table.ts"

type Listed = OperatorAnswer<"credentials", "list">["data"][number]

const issue = Command.make(
  "issue",
  {
    account: accountArgument,
    permissions: Flag.Literals("permission", permissions).pipe(
      Flag.withDescription("What it may do; once for each permission"),
      Flag.atLeast(1)
    ),
    allowedIps: Flag.String("allowed-ip").pipe(
      Flag.withMetavar("network"),
      Flag.withDescription(
        "Address or network that may create withdrawals; once for each. Any, unless told"
      ),
      anyNumber
    ),
    subAccountAccess: Flag.Boolean("sub-account-access").pipe(
      Flag.withDescription("It may act for sub-accounts"),
      Flag.optional
    ),
    idempotencyKey: idempotencyKeyFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { allowedIps, permissions: granted, subAccountAccess } = flags
    const body = {
      permissions: granted,
      ...(allowedIps.length === 0 ? {} : { allowedIps }),
      ...given({ subAccountAccess })
    }
    const call = { params: { id: flags.account }, body, ...keyed(flags.idempotencyKey) }
    const credential = yield* operator((ask) => ask("credentials", "issue", call))
    yield* printThing(
      credential,
      (one) => [
        ["Credential", one.id],
        ["Client id", one.clientId],
        ["Client secret", one.clientSecret],
        ["Permissions", one.permissions.join(", ")],
        ["Sub-accounts", one.subAccountAccess ? "yes" : "no"]
      ],
      flags
    )
    if (!flags.json) yield* remark("The secret is shown here and never again: keep it now.")
  })
).pipe(
  Command.withDescription("Issue a credential for the API; its secret is shown once"),
  Command.withExamples([
    { command: "pagora credential issue $ACCOUNT --permission FULL_ACCESS" },
    {
      command:
        "pagora credential issue $ACCOUNT --permission PIX:WRITE --permission WITHDRAWAL:WRITE --allowed-ip 203.0.113.0/24",
      description: "Charges from everywhere, withdrawals from one network"
    }
  ])
)

const columns: ReadonlyArray<Column<Listed>> = [
  { title: "CREDENTIAL", of: ({ id }) => id },
  { title: "STATUS", of: ({ status }) => status },
  { title: "CREATED", of: ({ createdAt }) => createdAt },
  { title: "SUB-ACCOUNTS", of: ({ subAccountAccess }) => (subAccountAccess ? "yes" : "no") },
  { title: "WITHDRAWALS FROM", of: ({ allowedIps }) => allowedIps?.join(", ") ?? "anywhere" },
  { title: "PERMISSIONS", of: ({ permissions: granted }) => granted.join(", ") }
]

const list = Command.make(
  "list",
  { account: accountArgument, ...pageFlags, ...connectionFlags },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const params = { id: flags.account }
    yield* printPages(flags, columns, (query) =>
      operator((ask) => ask("credentials", "list", { params, query }))
    )
  })
).pipe(
  Command.withDescription("List the credentials of an account, without their secrets"),
  Command.withExamples([
    { command: "pagora credential list $ACCOUNT" },
    {
      command:
        "pagora credential list $ACCOUNT --all --json | jq -r 'select(.status == \"active\") | .id'"
    }
  ])
)

const revoke = Command.make(
  "revoke",
  {
    account: accountArgument,
    credential: Argument.String("credential").pipe(
      Argument.withDescription("Id of the credential")
    ),
    yes: yesFlag,
    json: jsonFlag,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const { account, credential, json: isJson } = flags
    yield* confirm(
      `Revoke the credential ${credential}? What uses it is refused at once.`,
      flags.yes
    )
    const params = { id: account, credentialId: credential }
    yield* operator((ask) => ask("credentials", "revoke", { params }))
    yield* isJson ? printJson({}) : remark(`The credential ${credential} is revoked.`)
  })
).pipe(
  Command.withDescription("Revoke a credential: it is refused from the next request on"),
  Command.withExamples([
    { command: "pagora credential revoke $ACCOUNT $CREDENTIAL" },
    {
      command: "pagora credential revoke $ACCOUNT $CREDENTIAL --yes",
      description: "In a script, without a question"
    }
  ])
)

/** `pagora credential …` */
export const credentialCommand = Command.make("credential").pipe(
  Command.withDescription("Credentials: what programs of an account sign in with"),
  Command.withExamples([
    { command: "pagora credential issue $ACCOUNT --permission FULL_ACCESS" },
    { command: "pagora credential revoke $ACCOUNT $CREDENTIAL" }
  ]),
  Command.withSubcommands([issue, list, revoke])
)
