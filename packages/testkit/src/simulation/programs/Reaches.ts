import type { Ask } from "./Asked.ts"
import type { KnownShop } from "./Memory.ts"

/** Something of another shop that a shop reaches for, and the same of nobody. */
interface Reach {
  readonly what: string
  readonly shop: KnownShop
  readonly method: Ask["method"]
  readonly foreign: string
  readonly random: string
  readonly pathOf: (id: string) => string
}

const nobody = "019a2b3c-dead-7000-8000-00000000beef"

const ways = [
  { of: "charges", method: "GET", pathOf: (id: string) => `/transactions/${id}` },
  { of: "charges", method: "POST", pathOf: (id: string) => `/transactions/${id}/refund` },
  { of: "charges", method: "POST", pathOf: (id: string) => `/pix/${id}/cancel` },
  { of: "withdrawals", method: "GET", pathOf: (id: string) => `/withdrawals/${id}` },
  { of: "withdrawals", method: "GET", pathOf: (id: string) => `/transactions/${id}` },
  { of: "refunds", method: "GET", pathOf: (id: string) => `/transactions/${id}` },
  { of: "bookings", method: "GET", pathOf: (id: string) => `/transactions/${id}` },
  { of: "endpoints", method: "GET", pathOf: (id: string) => `/webhook-endpoints/${id}` },
  { of: "endpoints", method: "POST", pathOf: (id: string) => `/webhook-endpoints/${id}/test` }
] as const satisfies ReadonlyArray<{
  readonly of: keyof KnownShop
  readonly method: Ask["method"]
  readonly pathOf: (id: string) => string
}>

/** By each way, the next shop reaches for the last thing that a shop has of the kind. */
export const reachesToCompare = (shops: ReadonlyArray<KnownShop>): ReadonlyArray<Reach> =>
  shops.flatMap((owner) => {
    const shop = shops[(owner.index + 1) % shops.length]
    if (shop === undefined || shop === owner) return []
    return ways.flatMap(({ method, of, pathOf }) => {
      const foreign = owner[of].at(-1)?.id
      if (foreign === undefined) return []
      const what = `${method} ${pathOf(":id")}`
      return [{ what, shop, method, foreign, random: nobody, pathOf }]
    })
  })
