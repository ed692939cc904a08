import { Effect } from "effect"
import { handlersOf } from "../http/EndpointHandler.ts"
import { orUnavailable } from "../http/Unavailable.ts"
import type { Centavos } from "../kernel/Money.ts"
import { differenceOf } from "../psp-reports/BalanceComparison.ts"
import { OperatorApi } from "./OperatorApi.ts"
import type { PspHolding } from "./PspHoldings.ts"
import { PspHoldings } from "./PspHoldings.ts"

export const OperatorPspHoldingsHandlers = handlersOf(
  OperatorApi,
  "psps",
  Effect.fnUntraced(function* (handlers) {
    const holdings = yield* PspHoldings
    return handlers.handle("list", () =>
      Effect.map(orUnavailable(holdings.all), (all) => ({ data: all.map(pspFields) }))
    )
  })
)

const pspFields = (holding: PspHolding) => {
  const { balance, id, isDefault, lastComparison, ledger, psp, underWay, waiting } = holding
  return {
    id,
    provider: psp.provider,
    environment: psp.environment,
    isDefault,
    balance: balance ?? null,
    ledger,
    difference: balance === undefined ? null : differenceOf({ balance, ledger }),
    underWay,
    waiting,
    ...(lastComparison && {
      lastComparison: {
        at: lastComparison.at,
        unexplained: BigInt(lastComparison.unexplained) as Centavos,
        since: lastComparison.since
      }
    })
  }
}
