import { jobs } from "./Jobs.ts"
import { ways } from "./Servers.ts"

const chosenOf = <A>(
  flag: string,
  names: string | undefined,
  all: ReadonlyArray<A>,
  nameOf: (one: A) => string
): ReadonlyArray<A> => {
  if (names === undefined) return all
  const wanted = new Set(names.split(","))
  const known = all.map(nameOf)
  const unknown = [...wanted].find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new Error(`${flag} names ${unknown}: there are ${known.join(", ")}.`)
  return all.filter((one) => wanted.has(nameOf(one)))
}

/** Not a job like the others: it has a course of its own. */
const expiries = "expiries"

/** The jobs and ways that were asked for by names with commas between them; all where none are named. */
export const chosen = (names: {
  readonly jobs: string | undefined
  readonly ways: string | undefined
}) => {
  const keys = [...jobs.map(({ key }) => key), expiries]
  const wanted = chosenOf("--jobs", names.jobs, keys, (key) => key)
  return {
    jobs: jobs.filter(({ key }) => wanted.includes(key)),
    isExpiring: wanted.includes(expiries),
    ways: chosenOf("--ways", names.ways, ways, (way) => way)
  }
}
