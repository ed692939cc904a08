import { look } from "./0018_look.ts"

/** What is asked for by kind: the row that is the only one of its wallet. Two are enough to know that none is. */
const only = `
          when 'Only' then (select (array_agg(p.id))[1] from (
              select r.id from pagora.registry r where r.wallet = x.wallet and r.kind = x.key limit 2
            ) as p having count(*) = 1)`

export const statements: ReadonlyArray<string> = [
  look
    .replace("create function", "create or replace function")
    .replace("case x.tag", `case x.tag${only}`)
    .replace("('Name', 'Key')", "('Name', 'Key', 'Only')")
]
