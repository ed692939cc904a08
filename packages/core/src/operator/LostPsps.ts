import { Effect } from "effect"
import type { Account } from "../accounts/Account.ts"
import { AccountKind } from "../accounts/Account.ts"
import { DefaultPspRules } from "../accounts/DefaultPspRules.ts"
import type { AccountId, PspCredentialId } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { hasPsp, PspDirectory } from "../ports/Psp.ts"
import type { StorageError } from "../units/Refused.ts"
import { Storage } from "../storage/Storage.ts"
import { safeCause } from "../telemetry/SafeCause.ts"
import { underGuard } from "../telemetry/SpanGuarder.ts"

/** How many accounts are read at once. */
const readAtOnce = 200
/** How many accounts are named in a line. */
const namedMax = 20

/** What an account needs a PSP for. */
type Need = "default" | "rules"

/** PSPs that the rules of the deployment name, and that it has not. */
const lostOfDeployment = Effect.gen(function* () {
  const directory = yield* PspDirectory
  const named = (yield* DefaultPspRules).flatMap(({ to }) => to.map(({ psp }) => psp))
  return [...new Set(named)].filter((psp) => !hasPsp(directory, psp))
})

/** How many accounts need a PSP, and the first of them: a deployment may have any number. */
interface Needing {
  readonly count: number
  readonly named: ReadonlyArray<AccountId>
}

/** Accounts by a PSP that is not configured, and by what they need it for. */
type Lost = Readonly<Record<Need, ReadonlyMap<PspCredentialId, Needing>>>

const withAccount = ({ count, named }: Needing, account: AccountId): Needing => ({
  count: count + 1,
  named: count < namedMax ? [...named, account] : named
})

const nobody: Needing = { count: 0, named: [] }

const neededBy = ({ psps }: Account): ReadonlyArray<readonly [Need, PspCredentialId]> => {
  if (psps === undefined) return []
  const ruled = (psps.rules ?? []).flatMap(({ to }) => to.map(({ psp }) => psp))
  return [["default", psps.default], ...[...new Set(ruled)].map((psp) => ["rules", psp] as const)]
}

const find = Effect.gen(function* (): Effect.gen.Return<
  Lost,
  StorageError,
  Storage | PspDirectory
> {
  const storage = yield* Storage
  const directory = yield* PspDirectory
  const lost = {
    default: new Map<PspCredentialId, Needing>(),
    rules: new Map<PspCredentialId, Needing>()
  }
  for (let after: AccountId | undefined; ;) {
    const page = yield* storage.list(AccountKind, {
      order: "asc",
      limit: readAtOnce,
      ...present({ after })
    })
    for (const { value } of page) {
      if (value.status === "closed") continue
      for (const [need, psp] of neededBy(value))
        if (!hasPsp(directory, psp))
          lost[need].set(psp, withAccount(lost[need].get(psp) ?? nobody, value.id))
    }
    after = page.at(-1)?.value.id
    if (page.length < readAtOnce) return lost
  }
})

const sentences: Readonly<Record<Need, string>> = {
  default:
    "Accounts use a PSP that is not configured any more: their charges and withdrawals are refused, but for charges that go elsewhere by rules, and what they began there waits. Configure it again, or give them another one: pagora account change <id> --psps <id>.",
  rules:
    "Rules of accounts name a PSP that is not configured any more: their new charges go past it. Configure it again, or give them other rules: pagora account change <id> --psps <id>;<rules>."
}

const tell = (need: Need, lost: Lost) =>
  Effect.forEach(lost[need], ([psp, { count, named }]) =>
    Effect.logError(sentences[need]).pipe(
      Effect.annotateLogs({ psp, accounts: count, named: named.join(" ") })
    )
  )

const tellRules = (psp: PspCredentialId) =>
  Effect.logError(
    "The rules of this deployment (pspRules, PAGORA_PSP_RULES) name a PSP that is neither configured nor kept: new charges go past it. Configure it, or change the rules."
  ).pipe(Effect.annotateLogs({ psp }))

/**
 * Says once, at a start, which accounts stand still because their default PSP has left the configuration (decision 0085), and
 * whose rules name one that has. In the background: nobody who is served waits for it.
 */
export const tellLostPsps = find.pipe(
  Effect.flatMap((lost) => Effect.andThen(tell("default", lost), tell("rules", lost))),
  Effect.andThen(Effect.flatMap(lostOfDeployment, Effect.forEach(tellRules))),
  Effect.catchCause((cause) =>
    Effect.logWarning("The PSPs of the accounts could not be looked at.", safeCause(cause))
  ),
  underGuard,
  Effect.forkScoped
)
