import { createInterface } from "node:readline"

/** Does a round for each line that comes in, and writes what it came to, until nobody asks any more. */
export const answerRounds = async (
  round: () => Promise<Readonly<Record<string, number>>>
): Promise<void> => {
  const asked = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
  while ((await asked.next()).done !== true)
    process.stdout.write(`${JSON.stringify(await round())}\n`)
}
