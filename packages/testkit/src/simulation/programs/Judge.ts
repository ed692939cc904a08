import type { Asked } from "./Asked.ts"
import type { Facts, Spectacle } from "./Facts.ts"
import { balancesBroken } from "./JudgeBalances.ts"
import { shortfallsDenied } from "./JudgeFunds.ts"
import { isolationBroken } from "./JudgeIsolation.ts"
import { keysBroken } from "./JudgeKeys.ts"
import { promisesBroken } from "./JudgeStored.ts"
import type { Sightings } from "./Sightings.ts"

/** All that was asked and told, and how everything is in the end. */
export interface Case {
  readonly asked: ReadonlyArray<Asked>
  readonly sightings: Sightings
  readonly facts: Facts
  /** What those saw of themselves who do nothing: when the shops were open, and in the end. */
  readonly before: ReadonlyArray<Spectacle>
  readonly after: ReadonlyArray<Spectacle>
}

/** Everything that must not be, a sentence each. */
export const violationsOf = (known: Case): ReadonlyArray<string> => [
  ...promisesBroken(known),
  ...keysBroken(known),
  ...shortfallsDenied(known),
  ...balancesBroken(known),
  ...isolationBroken(known)
]
