import type { Chance } from "./Chance.ts"

/** What earlier answers taught, so that later requests can name what is really there. */
export interface Harvest {
  /** Takes in a body that was answered well; `source` is the path it came from. */
  readonly learn: (source: string, json: unknown) => void
  readonly add: (pool: string, value: string) => void
  readonly some: (chance: Chance, pool: string) => string | undefined
  readonly all: (pool: string) => ReadonlyArray<string>
}

/** The newest are kept. */
const poolMax = 200

const poolOf = (source: string, field: string): string | undefined => {
  if (field === "id") return `id of ${source.replace(/^\/([^/{]+).*$/, "$1")}`
  const known = ["externalReference", "reference", "nextCursor", "pspCredentialId"]
  return known.includes(field) ? field : undefined
}

export const harvest = (): Harvest => {
  const pools = new Map<string, Array<string>>()
  const add = (pool: string, value: string): void => {
    const values = pools.get(pool) ?? []
    pools.set(pool, values)
    if (values.includes(value)) return
    values.push(value)
    if (values.length > poolMax) values.shift()
  }
  const learn = (source: string, json: unknown): void => {
    if (typeof json !== "object" || json === null) return
    for (const [field, value] of Object.entries(json)) {
      const pool = poolOf(source, field)
      if (typeof value === "string" && pool !== undefined) add(pool, value)
      learn(source, value)
    }
  }
  return {
    learn,
    add,
    some: (chance, pool) => {
      const values = pools.get(pool) ?? []
      return values.length === 0 ? undefined : chance.pick(values)
    },
    all: (pool) => pools.get(pool) ?? []
  }
}
