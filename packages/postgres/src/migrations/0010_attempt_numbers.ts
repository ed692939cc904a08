import { facts } from "./0003_reads.ts"
import { write } from "./0006_write_identity.ts"

export const widened = (statement: string): string =>
  statement.replace("attempt_number smallint[]", "attempt_number int[]")

/**
 * A delivery that is resent again and again, or one that fails for months, has more attempts than a smallint counts.
 * Processes of before call the functions as before: an array of smallint goes where one of int is asked for.
 */
export const statements: ReadonlyArray<string> = [
  `alter table pagora.attempt alter column number type integer`,
  `alter table pagora.delivery alter column attempts type integer`,
  `drop function pagora.write`,
  widened(write),
  `drop function pagora.facts`,
  widened(facts)
]
