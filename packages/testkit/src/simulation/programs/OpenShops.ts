import type { Ask } from "./Asked.ts"
import { brl } from "./Json.ts"
import type { KnownShop } from "./Memory.ts"
import { usualPsps } from "./Names.ts"
import type { FeeWish, ProgramShop } from "./Operation.ts"
import type { Stage } from "./Stage.ts"
import { subAccountOf } from "./Stage.ts"

const feeOf = (fee: FeeWish | undefined) =>
  fee === undefined
    ? undefined
    : {
        ...(fee.fixed === undefined ? {} : { fixed: brl(fee.fixed) }),
        ...(fee.basisPoints === undefined ? {} : { percent: fee.basisPoints / 100 }),
        ...(fee.max === undefined ? {} : { max: brl(fee.max) })
      }

const limitOf = (most: number | undefined, daily: number | undefined) => ({
  ...(most === undefined ? {} : { max: brl(most) }),
  ...(daily === undefined ? {} : { daily: brl(daily) })
})

const named = (entries: Readonly<Record<string, object | undefined>>) =>
  Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined))

const [first, second] = usualPsps

const pspsOf = (routes: ProgramShop["routes"]) => {
  const both = [
    { psp: first, share: 2 },
    { psp: second, share: 1 }
  ]
  return (
    routes && {
      default: second,
      allowed: usualPsps,
      rules: [{ to: routes === "shares" ? both : [{ psp: first }] }]
    }
  )
}

const accountOf = ({ blocksCompanies, fees, limits, name, routes }: ProgramShop) => ({
  name,
  fees: named({
    payment: feeOf(fees.payment),
    withdrawal: feeOf(fees.withdrawal),
    refund: feeOf(fees.refund)
  }),
  limits: {
    charge: limitOf(limits.charge, undefined),
    withdrawal: limitOf(limits.withdrawal, limits.daily)
  },
  policy: { blockCnpjPayers: blocksCompanies },
  ...named({ psps: pspsOf(routes) })
})

type Told = Pick<Ask, "name" | "path"> & Partial<Ask>

const fundedOf = ({ subAccounts, unfunded }: ProgramShop): ReadonlyArray<string> =>
  ["principal", ...subAccounts].filter((wallet) => !unfunded.includes(wallet))

/** What makes a shop, one request after the other. Each is made when the one before was answered. */
const stepsOf = (known: KnownShop): ReadonlyArray<() => Told> => {
  const { shop } = known
  const inAccount = (path: string) => `/accounts/${known.id}${path}`
  const everything = { permissions: ["FULL_ACCESS"], subAccountAccess: true }
  const little = { permissions: ["ACCOUNT:READ"] }
  return [
    () => ({ name: "openShop", path: "/accounts", body: accountOf(shop) }),
    () => ({ name: "issue", path: inAccount("/credentials"), body: everything }),
    () => ({ name: "issue", path: inAccount("/credentials"), body: little }),
    ...shop.subAccounts.map((reference) => () => ({
      name: "openSubAccount",
      as: "tenant" as const,
      path: "/sub-accounts",
      body: { reference, name: reference },
      subject: reference
    })),
    ...shop.projects.map((name) => () => ({
      name: "project",
      as: "tenant" as const,
      path: "/projects",
      body: { name },
      subject: name
    })),
    ...shop.endpoints.map(({ url, wallet }) => () => ({
      name: "endpoint",
      path: inAccount("/webhook-endpoints"),
      body: { url, ...subAccountOf(wallet) },
      wallet,
      reference: url
    })),
    ...fundedOf(shop).map((wallet) => () => {
      const reference = `funds of ${wallet} of ${shop.name}`
      return {
        name: "adjust",
        path: inAccount("/adjustments"),
        body: { amount: brl(shop.funds), reason: reference, ...subAccountOf(wallet) },
        wallet,
        amount: shop.funds,
        reference
      }
    })
  ]
}

const openShop = (stage: Stage, known: KnownShop, opened: () => void): void => {
  const steps = stepsOf(known)
  const step = (place: number): void => {
    const told = steps[place]?.()
    if (told === undefined) return opened()
    const credential = known.credentials[0]
    const ask: Ask = {
      operation: -1,
      shop: known.index,
      wallet: "principal",
      as: "operator",
      process: known.index,
      method: "POST",
      key: `opening ${known.index} ${place}`,
      isSetup: true,
      ...(told.as === "tenant" && credential !== undefined ? { credential } : {}),
      ...told
    }
    stage.send(ask, (asked) => {
      if (asked.outcome !== "done")
        stage.violated(`${told.name} of ${known.shop.name} was not done`)
      step(place + 1)
    })
  }
  step(0)
  for (const wallet of fundedOf(known.shop)) known.available.set(wallet, known.shop.funds)
}

/** Opens every shop of a program, at once. */
export const openShops = (stage: Stage, opened: () => void): void => {
  let left = stage.memory.shops.length
  for (const shop of stage.memory.shops)
    openShop(stage, shop, () => {
      left--
      if (left === 0) opened()
    })
}
