export { startFaultyProxy } from "./FaultyProxy.ts"
export type { BlackHole, FaultyProxy } from "./FaultyProxy.ts"
export { execute, freshDatabase, startPostgres } from "./TestPostgres.ts"
export type { Database, Postgres, PostgresOptions } from "./TestPostgres.ts"
