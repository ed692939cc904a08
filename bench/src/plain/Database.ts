import type { PoolClient, QueryResultRow } from "pg"
import { Pool, types } from "pg"

/** What statements run on: the pool, or the one connection of a transaction. */
type Connection = Pool | PoolClient

const int8 = 20

/** Amounts are centavos far below 2^53, so that they are numbers and not texts. */
export const connect = (url: string): Pool =>
  new Pool({
    connectionString: url,
    max: 10,
    types: {
      getTypeParser: (oid, format) =>
        Number(oid) === int8 ? Number : types.getTypeParser(oid, format)
    }
  })

/** A statement by its name, which each connection prepares once. */
export const statement =
  <Row extends QueryResultRow>(name: string, text: string) =>
  async (on: Connection, values: ReadonlyArray<unknown>): Promise<ReadonlyArray<Row>> => {
    const { rows } = await on.query<Row>({ name, text, values: [...values] })
    return rows
  }

/** Begin to commit on one connection; what throws rolls back. */
export const transaction = async <A>(
  pool: Pool,
  work: (client: PoolClient) => Promise<A>
): Promise<A> => {
  const client = await pool.connect()
  try {
    await client.query("begin")
    const answer = await work(client)
    await client.query("commit")
    client.release()
    return answer
  } catch (error) {
    // A connection that cannot even roll back is not used again.
    const isBroken = await client.query("rollback").then(
      () => false,
      () => true
    )
    client.release(isBroken)
    throw error
  }
}
