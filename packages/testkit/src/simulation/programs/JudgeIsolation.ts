import type { DoorAnswer } from "./Door.ts"
import type { Reached, Spectacle } from "./Facts.ts"
import type { Case } from "./Judge.ts"

/** What those who do nothing see of themselves never changes. */
const moved = (before: Spectacle, after: Spectacle | undefined): ReadonlyArray<string> =>
  [...before.texts].flatMap(([path, text]) => {
    const now = after?.texts.get(path) ?? "nothing"
    return now === text
      ? []
      : [`${before.shop} does nothing, and its ${path} was ${text}, and is ${now}`]
  })

/** An answer without what is of its time, and of the name that was asked for. */
const bare = (answer: DoorAnswer | undefined, name: string): string =>
  answer === undefined
    ? "nothing"
    : `${answer.status} ${answer.text}`
        .replaceAll(name, ":id")
        .replaceAll(/"(timestamp|traceId)":"[^"]*"/g, "")

const shown = ({
  answers: [one, other],
  foreign,
  random,
  what
}: Reached): ReadonlyArray<string> => {
  const [theirs, nobodys] = [bare(one, foreign), bare(other, random)]
  if (one === undefined || other === undefined) return [`${what} for ${foreign} was not answered`]
  return one.status === 404 && theirs === nobodys
    ? []
    : [`${what} for another's ${foreign} was told ${theirs}, and for nobody's ${nobodys}`]
}

/** What one shop does, no other one sees, and no balance of another moves by it. */
export const isolationBroken = ({ after, before, facts }: Case): ReadonlyArray<string> => [
  ...before.flatMap((seen, place) => moved(seen, after[place])),
  ...facts.reached.flatMap(shown)
]
