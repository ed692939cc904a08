import type { PgClient } from "@effect/sql-pg"
import type { StorageDriver, Unit } from "@pagora/core"
import { MergedUnit, WriteId } from "@pagora/core"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"

/** Where the arguments of `write` are kept instead of being written. */
const schema = "recorder"

/**
 * The limit: the arguments of the write function are recorded beforehand and fed to it inside the server, a call
 * and a commit for each batch. No client, no network, no merging.
 */
export const makeBare = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  recorder: StorageDriver["Service"],
  real = "pagora"
) {
  const [write] = yield* sql.unsafe<{
    names: ReadonlyArray<string>
    types: ReadonlyArray<string>
    parameters: string
  }>(
    `select proargnames as names, array(select format_type(t, null) from unnest(proargtypes) with ordinality as x (t, n) order by n) as types,
       pg_get_function_arguments(oid) as parameters
     from pg_proc where oid = '${schema}.write'::regproc`
  )
  if (write === undefined) return yield* Effect.die("no write")
  const { names, parameters, types } = write
  yield* sql.unsafe(
    `create unlogged table ${schema}.call (n bigserial, ${names.map((name, index) => `${name} ${types[index]}`).join(", ")})`
  )
  for (const name of names.filter((_, index) => types[index]?.endsWith("[]")))
    yield* sql.unsafe(`alter table ${schema}.call alter column ${name} set storage external`)
  yield* sql.unsafe(
    `create or replace function ${schema}.write(${parameters}) returns text language plpgsql as $$
    begin insert into ${schema}.call (${names.join(", ")}) values (${names.join(", ")}); return null; end $$`.replace(
      /values \((.*?)\)/s,
      (_, list) =>
        `values (${list
          .split(", ")
          .map((n: string) => `"write".${n}`)
          .join(", ")})`
    )
  )
  return {
    prepare: Effect.fnUntraced(function* (units: ReadonlyArray<Unit>, batch: number) {
      yield* sql.unsafe(`truncate ${schema}.call`)
      for (let from = 0; from < units.length; from += batch) {
        yield* recorder.write(
          MergedUnit.merge(units.slice(from, from + batch), WriteId.make(randomUUID()))
        )
      }
    }),
    run: sql.unsafe(`do $$
      declare c ${schema}.call; failed text;
      begin
        for c in select * from ${schema}.call order by n loop
          failed := ${real}.write(${names.map((name) => `c.${name}`).join(", ")});
          if failed is not null then raise exception '%', failed; end if;
          commit;
        end loop;
      end $$`)
  }
})
