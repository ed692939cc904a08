import { openSession } from "../postgres/Session.ts"

const uuids = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** More are hardly ever read. */
const subjectsMax = 5
const rowsMax = 20

/**
 * Every row that names what violations are about, a line each: what has become of it cannot be seen any more once its database
 * is gone.
 */
export const storedAbout = async (
  url: string,
  violations: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const subjects = [...new Set(violations.flatMap((sentence) => sentence.match(uuids) ?? []))]
  if (subjects.length === 0) return []
  const session = await openSession(url)
  try {
    const tables = await session.rows(
      "select table_name as name from information_schema.tables where table_schema = 'pagora' order by 1"
    )
    const lines: Array<string> = []
    for (const subject of subjects.slice(0, subjectsMax))
      for (const { name } of tables) {
        const rows = await session.rows(
          `select to_jsonb(t)::text as row from pagora.${name} t where t::text like '%${subject}%' limit ${rowsMax}`
        )
        for (const { row } of rows) lines.push(`${subject} in ${name}: ${row}`)
      }
    return lines
  } finally {
    session.close()
  }
}
