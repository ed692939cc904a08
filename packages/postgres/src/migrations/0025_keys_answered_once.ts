import { parts } from "./0002_write.ts"
import { facts as factsOfBefore } from "./0003_reads.ts"
import { widened } from "./0010_attempt_numbers.ts"
import { writeOf } from "./0019_born_leased.ts"

/** Fails where the text of before is not as it is known. */
const changed = (text: string, from: string, to: string): string => {
  if (!text.includes(from)) throw new Error(`The function of before has no "${from}".`)
  return text.replace(from, to)
}

const replacing = (statement: string): string =>
  changed(statement, "create function", "create or replace function")

const idempotency = changed(
  parts.idempotency,
  "and i.route = x.route and i.entity = x.entity;",
  "and i.route = x.route and i.entity = x.entity and i.snapshot is null;"
)
const facts = changed(
  factsOfBefore,
  "(extract(epoch from i.expires_at) * 1000)::bigint)",
  "(extract(epoch from i.expires_at) * 1000)::bigint, i.snapshot is not null)"
)

/**
 * A key is answered once. Whoever read of one at a former primary that goes on, where it had no answer yet, would have
 * answered it anew. Processes of before are told one thing more of a key, which they pass over.
 */
export const statements: ReadonlyArray<string> = [
  replacing(writeOf({ ...parts, idempotency })),
  replacing(widened(facts))
]
