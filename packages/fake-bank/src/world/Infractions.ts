import type { Centavos } from "./Centavos.ts"
import { checkedCentavos } from "./Centavos.ts"
import type { Infraction } from "./Infraction.ts"
import type { Payment } from "./Payment.ts"
import { returnable } from "./Payment.ts"
import { beginReturn, settleReturn } from "./Returns.ts"
import type { World } from "./World.ts"
import { WorldRefusal } from "./World.ts"

/** So long its receiver has to answer. */
const answerMillis = 7 * 86_400_000

/** Somebody reports a payment as fraud. Its money is blocked until that is decided. */
export const reportInfraction = (
  world: World,
  payment: Payment,
  {
    centavos = returnable(payment),
    id = world.ids.uuid(),
    reason = "Golpe"
  }: { centavos?: Centavos; id?: string; reason?: string } = {}
): Infraction => {
  const reportedAt = world.clock.now()
  const infraction: Infraction = {
    id,
    payment,
    centavos: checkedCentavos(centavos),
    reason,
    reportedAt,
    answerUntil: new Date(reportedAt.getTime() + answerMillis),
    status: "open"
  }
  world.infractions.set(infraction.id, infraction)
  payment.account.blocked.med += infraction.centavos
  world.tell({ type: "infraction_changed", infraction })
  return infraction
}

export const defendInfraction = (
  world: World,
  infraction: Infraction,
  defence: { readonly accepts: boolean; readonly text: string }
): void => {
  expectStatus(infraction, ["open"])
  if (world.clock.now() > infraction.answerUntil)
    throw new WorldRefusal("infraction_not_open", "The time to answer the infraction is over.")
  infraction.defence = { ...defence, at: world.clock.now() }
  infraction.status = "defended"
  world.tell({ type: "infraction_changed", infraction })
}

/** How it ends. Where it is accepted, the money goes back to whoever paid. */
export const decideInfraction = (
  world: World,
  infraction: Infraction,
  status: "accepted" | "rejected" | "cancelled"
): void => {
  expectStatus(infraction, ["open", "defended"])
  const { centavos, id, payment } = infraction
  infraction.status = status
  infraction.decidedAt = world.clock.now()
  payment.account.blocked.med -= centavos
  const goesBack = Math.min(centavos, returnable(payment))
  if (status === "accepted" && goesBack > 0) {
    const asked = { id: id.replaceAll("-", ""), centavos: goesBack, nature: "MED_FRAUDE" } as const
    const back = beginReturn(world, payment, asked)
    settleReturn(world, payment, back, "DEVOLVIDO")
  }
  world.tell({ type: "infraction_changed", infraction })
}

export const infractionNamed = (world: World, id: string): Infraction => {
  const infraction = world.infractions.get(id)
  if (infraction !== undefined) return infraction
  throw new WorldRefusal("unknown_infraction", `There is no infraction ${id}.`)
}

const expectStatus = (infraction: Infraction, statuses: ReadonlyArray<string>) => {
  if (statuses.includes(infraction.status)) return
  throw new WorldRefusal("infraction_not_open", `The infraction is ${infraction.status} already.`)
}
