import type { OperatorAnswer } from "@pagora/core/client"
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { shownBrl } from "./Brl.ts"
import { ofAccountFlag } from "./DecisionFlags.ts"
import { given } from "./Given.ts"
import { connectionFlags, operatorOf } from "./OperatorConnection.ts"
import { pageFlags, printPages } from "./Pages.ts"
import type { Column } from "./Table.ts"

type Suspended = OperatorAnswer<"reviews", "suspense">["data"][number]

const columns: ReadonlyArray<Column<Suspended>> = [
  { title: "RETURN", of: ({ id }) => id },
  { title: "AMOUNT", of: ({ amount }) => shownBrl(amount), isNumber: true },
  { title: "REASON", of: ({ reason }) => reason },
  { title: "STATUS", of: (one) => one.return.status },
  { title: "REVIEW", of: (one) => one.return.review?.reason },
  { title: "SINCE", of: ({ since }) => since },
  { title: "PAYER", of: ({ payer }) => payer.name ?? payer.document },
  { title: "ACCOUNT", of: ({ accountId }) => accountId }
]

const list = Command.make(
  "list",
  {
    account: ofAccountFlag,
    needsReview: Flag.Boolean("needs-review").pipe(
      Flag.withDescription("Only what waits for a person"),
      Flag.withDefault(false)
    ),
    ...pageFlags,
    ...connectionFlags
  },
  Effect.fnUntraced(function* (flags) {
    const operator = yield* operatorOf(flags)
    const narrowed = {
      ...given({ account: flags.account }),
      ...(flags.needsReview ? { needsReview: "true" as const } : {})
    }
    yield* printPages(flags, columns, (page) =>
      operator((ask) => ask("reviews", "suspense", { query: { ...narrowed, ...page } }))
    )
  })
).pipe(
  Command.withDescription("List the money that is neither credited nor back at its payer yet"),
  Command.withExamples([
    { command: "pagora suspense list --needs-review" },
    { command: "pagora suspense list --all --json | jq -r .payer.name" }
  ])
)

/** `pagora suspense …` */
export const suspenseCommand = Command.make("suspense").pipe(
  Command.withDescription("Suspense: money that was received and is on its way back"),
  Command.withExamples([
    { command: "pagora suspense list" },
    { command: "pagora suspense list --needs-review" }
  ]),
  Command.withSubcommands([list])
)
