import type { Payout } from "../world/Payout.ts"
import type { World } from "../world/World.ts"

/** Ends that Inter tells apart (INTER-PY banking/enums/PixStatus.py). The code of a failure names one; else it is `CANCELADO`. */
const interEnds = [
  "REPROVADO",
  "EXPIRADO",
  "CANCELADO",
  "CANCELADO_SEM_SALDO",
  "AGENDAMENTO_CANCELADO",
  "FALHA",
  "NAO_DEBITADO"
] as const

/** What the look-up says. Money that comes back shows nowhere in it [?]. */
export const stateOf = ({ failure, status }: Payout): string => {
  if (status === "awaiting_approval") return "AGUARDANDO_APROVACAO"
  if (status === "processing") return "ENVIADO"
  if (status === "failed") return interEnds.find((end) => end === failure?.code) ?? "CANCELADO"
  return "PAGO"
}

/** What the callback says (INTER-TS `StatusPixPagamento`); undefined while it is under way. */
export const toldStateOf = (payout: Payout): string | undefined => {
  const state = stateOf(payout)
  if (state === "PAGO") return "EFETIVADO"
  if (payout.status !== "failed") return undefined
  if (state === "REPROVADO") return "REPROVADO"
  if (state === "EXPIRADO") return "APROVACAO_EXPIRADA"
  return state.includes("CANCELADO") ? "CANCELADO" : "ERRO"
}

/** Which states a payout went through, and when. */
export interface InterHistory {
  readonly note: (payout: Payout) => void
  readonly of: (payout: Payout) => ReadonlyArray<{ readonly state: string; readonly at: Date }>
}

export const makeInterHistory = (world: World): InterHistory => {
  const all = new Map<string, ReadonlyArray<{ readonly state: string; readonly at: Date }>>()
  const history: InterHistory = {
    note: (payout) => {
      const before = history.of(payout)
      const state = stateOf(payout)
      if (before.at(-1)?.state === state) return
      all.set(payout.id, [...before, { state, at: world.clock.now() }])
    },
    of: ({ id }) => all.get(id) ?? []
  }
  world.listen((event) => {
    if (event.type === "payout_changed") history.note(event.payout)
  })
  return history
}
