export { execute, freshDatabase, startPostgres } from "./TestPostgres.ts"
export type { Database, Postgres, PostgresOptions } from "./TestPostgres.ts"
