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

/** The jobs and ways that were asked for by names with commas between them; all where none are named. */
export const chosen = (names: {
  readonly jobs: string | undefined
  readonly ways: string | undefined
}) => ({
  jobs: chosenOf("--jobs", names.jobs, jobs, ({ key }) => key),
  ways: chosenOf("--ways", names.ways, ways, (way) => way)
})
