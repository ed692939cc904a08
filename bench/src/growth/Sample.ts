import type { Pool } from "pg"
import type { Filler } from "./Fill.ts"
import type { Tenant } from "./Service.ts"

/** Some of what a tenant has, from all over its history. */
export interface Sample {
  readonly tenant: Tenant
  readonly charges: ReadonlyArray<{
    readonly id: string
    readonly reference: string
    readonly key: string
  }>
  readonly withdrawals: ReadonlyArray<string>
  readonly deliveries: ReadonlyArray<string>
}

/** An id as the server makes it for a copy. */
const idOf = ({ millisOf }: Filler, number: number, copy: number): string => {
  const time = (millisOf(copy) + Math.floor(number / 8)).toString(16).padStart(12, "0")
  const order = (number % 8).toString(16).padStart(3, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${order}-8000-${copy.toString(16).padStart(12, "0")}`
}

const pick = <A>(all: ReadonlyArray<A>): A => {
  const picked = all[Math.floor(Math.random() * all.length)]
  if (picked === undefined) throw new Error("There is nothing to pick from.")
  return picked
}

export const sampleOf = async (
  sql: Pool,
  filler: Filler,
  tenant: Tenant,
  count: number
): Promise<Sample> => {
  const original = await sql.query<{ kind: string; number: number; refs: ReadonlyArray<string> }>(
    `select o.kind, o.id_n as number, o.ref_o as refs from growth.operation o
      where o.wallet = $1 and o.status = 'completed' and not exists (
        select 1 from growth.operation r where r.kind = 'return' and r.document like '%' || o.id || '%')`,
    [tenant.id]
  )
  const delivered = await sql.query<{ number: number }>(
    "select id_n as number from growth.delivery where account = $1 and endpoint = $2",
    [tenant.id, tenant.endpoint]
  )
  const times = <A>(make: (copy: number) => A): ReadonlyArray<A> =>
    Array.from({ length: count }, () => make(1 + Math.floor(Math.random() * filler.made())))
  const charges = original.rows.filter(({ kind }) => kind === "charge")
  const withdrawals = original.rows.filter(({ kind }) => kind === "withdrawal")
  return {
    tenant,
    charges: times((copy) => {
      const { number, refs } = pick(charges)
      const reference = `${refs[0]}-${copy}`
      return {
        id: idOf(filler, number, copy),
        reference,
        key: reference.replace("pedido", "chave")
      }
    }),
    withdrawals: times((copy) => idOf(filler, pick(withdrawals).number, copy)),
    // The oldest are purged on the way.
    deliveries: times((copy) =>
      idOf(filler, pick(delivered.rows).number, Math.ceil((copy + filler.made()) / 2))
    )
  }
}
