import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { roleSettings } from "./SessionOptions.ts"
import { StartError } from "./StartError.ts"

type Query = (
  text: string,
  parameters: ReadonlyArray<unknown>
) => Effect.Effect<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }, SqlError>

const look = `select current_user::text as role, current_database()::text as database,
  (select json_object_agg(s.name, s.setting) from pg_catalog.pg_settings s
    where lower(s.name) = any (string_to_array($1, ','))) as settings`

/**
 * Fails unless every setting holds in the session in which a statement runs. What is sent when a session begins can be
 * dropped on its way, and then the server's own defaults decide whether money is safe.
 */
export const heldSettings = Effect.fnUntraced(function* (
  query: Query,
  settings: Readonly<Record<string, string>>
): Effect.fn.Return<void, SqlError | StartError> {
  const { rows } = yield* query(look, [Object.keys(settings).join()])
  const found = new Map(
    Object.entries((rows[0]?.["settings"] ?? {}) as Readonly<Record<string, string>>).map(
      ([name, value]) => [name.toLowerCase(), value] as const
    )
  )
  const wrong = Object.entries(settings).filter(
    ([name, value]) => !holds(name, found.get(name), value)
  )
  if (wrong.length === 0) return
  const [role, database] = [String(rows[0]?.["role"]), String(rows[0]?.["database"])]
  const told = wrong.map(
    ([name, value]) => `${name} is ${found.get(name) ?? "not there"} instead of ${value}`
  )
  return yield* new StartError({
    message: `The settings of a session with PostgreSQL do not hold: ${told.join(", ")}. A pooler drops what is sent when a session begins: set prepare: false (PAGORA_DB_PREPARE=false), give them to the role, by pagora migrate --grant ${role} --pin-role or as it or a superuser, and let the pooler open its sessions anew. ${roleSettings(role, database, settings).join("; ")}`
  })
})

/** Whoever waits for more than we ask for may. */
const holds = (name: string, found: string | undefined, wanted: string): boolean =>
  found === wanted || (name === "synchronous_commit" && found === "remote_apply")
