import { Schema } from "effect"
import type { Uuid } from "../kernel/Ids.ts"
import { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString } from "../kernel/Money.ts"

/** A PSP, and how much of what a rule is about goes there, measured by the shares beside it. */
const PspShare = Schema.Struct({ psp: PspCredentialId, share: Schema.Int })
export type PspShare = typeof PspShare.Type

/** Where new charges go that name no PSP: those of an amount from `min` to `max`, both included (decision 0107). */
export const PspRule = Schema.Struct({
  min: Schema.optionalKey(CentavosString),
  max: Schema.optionalKey(CentavosString),
  to: Schema.Array(PspShare)
})
export type PspRule = typeof PspRule.Type

/** What is given as a rule: shares that are not told are alike. */
interface GivenRule extends Omit<PspRule, "to"> {
  readonly to: ReadonlyArray<{ readonly psp: PspCredentialId; readonly share?: number }>
}

export const withShares = (rules: ReadonlyArray<GivenRule>): ReadonlyArray<PspRule> =>
  rules.map(({ to, ...bounds }) => ({
    ...bounds,
    to: to.map(({ psp, share = 1 }) => ({ psp, share }))
  }))

/** PSPs of which one is drawn. */
export type Place = ReadonlyArray<PspShare>

const fits = ({ max, min }: PspRule, amount: Centavos): boolean =>
  (min === undefined || amount >= min) && (max === undefined || amount <= max)

/** Where a charge of this amount may go: to the first place of which a PSP takes charges. The last one is the default's. */
export const placesFor = (
  rules: ReadonlyArray<PspRule>,
  usual: PspCredentialId,
  amount: Centavos
): ReadonlyArray<Place> => [
  ...rules.filter((rule) => fits(rule, amount)).map(({ to }) => to),
  [{ psp: usual, share: 1 }]
]

/** The PSP of a charge, and those that it would have gone to if they took charges. */
export interface Drawn {
  readonly psp: PspCredentialId
  readonly passedOver: ReadonlyArray<PspCredentialId>
}

/**
 * The PSP of a charge, by its id: whoever draws again draws the same. Where the one that is drawn takes no charge, another is
 * drawn of those beside it, by their shares; what goes to these by itself stays there. Undefined where none takes it.
 *
 * @param takes Asked of those only that are drawn, and of each once.
 */
export const draw = (
  places: ReadonlyArray<Place>,
  charge: Uuid,
  takes: (psp: PspCredentialId) => boolean
): Drawn | undefined => {
  const passedOver: Array<PspCredentialId> = []
  for (const place of places) {
    let left = place.filter((one) => !passedOver.includes(one.psp))
    for (let psp = drawnOf(left, charge); psp !== undefined; psp = drawnOf(left, charge)) {
      if (takes(psp)) return { psp, passedOver }
      passedOver.push(psp)
      left = left.filter((one) => one.psp !== psp)
    }
  }
  return undefined
}

/** One of them, by the id and by how many are left: a second draw must not lean on the first. */
const drawnOf = (place: Place, charge: Uuid): PspCredentialId | undefined => {
  const whole = place.reduce((sum, { share }) => sum + share, 0)
  let point = spread(`${place.length} ${charge}`) % whole
  for (const { psp, share } of place) {
    if (point < share) return psp
    point -= share
  }
  return undefined
}

/**
 * A number of 32 bits that texts which differ in anything have nothing in common of: FNV-1a, and the last steps of
 * MurmurHash 3. Ids of one millisecond differ in their last bits alone.
 */
const spread = (text: string): number => {
  let hash = 0x811c_9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x0100_0193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
