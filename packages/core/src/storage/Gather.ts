import type { Context } from "effect"
import { Cause, Deferred, Duration, Effect, Exit } from "effect"
import { StorageError } from "../units/Refused.ts"

/** How many answers of the storage may be on their way at once, and after how long one of them is slow. */
const flightsMax = 4
const slowAfter = Duration.millis(20)
/** So many that wait are worth a second flight beside the first: fewer cost more as two statements than they wait. */
const secondFrom = 8
/** Questions asked together at most. */
const groupMax = 500

interface Entry<Q, A> {
  readonly question: Q
  readonly answer: Deferred.Deferred<A, StorageError>
  /** The same for whoever asks: at once, where it is there. */
  readonly answered: Effect.Effect<A, StorageError>
}

/** Asks at once, and answers where the answer will be: what is asked in one turn goes out together. */
export type Ask<Q, A> = (question: Q) => Effect.Effect<Effect.Effect<A, StorageError>>

/**
 * Turns reads that are asked for one by one into few that ask for many. What is asked in one turn, or while an answer is
 * on its way, goes out in the next question, the same only once. So each answer is at least as new as its question: one
 * that is under way already is never joined.
 *
 * Where many wait, a second question goes out beside the one that is on its way, so that there is work here while it is. A
 * slow answer holds up nobody for longer than `slowAfter`; then others are asked for beside it.
 *
 * @param askAll Answers so many questions, each in its place. It is asked in the context of this effect.
 * @param nameOf Tells questions apart: those of one name have one answer.
 */
export const gather = Effect.fnUntraced(function* <Q, A>(
  askAll: AskAll<Q, A>,
  nameOf: (question: Q) => string
): Effect.fn.Return<Ask<Q, A>> {
  const context = yield* Effect.context<never>()
  // A new one for each group: one that is changed all the time would keep the questions of before from being collected.
  let waiting = new Map<string, Entry<Q, A>>()
  let flights = 0
  let isWatched = false
  // Of whoever asks first it takes nothing: what goes out is everybody's.
  const begun = (effect: Effect.Effect<void>) =>
    Effect.forkDetach(Effect.updateContext(effect, (_: Context.Context<never>) => context))

  const take = (): ReadonlyArray<Entry<Q, A>> => {
    const all = [...waiting]
    waiting = new Map(all.slice(groupMax))
    return all.slice(0, groupMax).map(([, entry]) => entry)
  }
  const answerTo = answering(askAll)
  const fly = Effect.gen(function* () {
    for (;;) {
      // Whoever else has a question in this turn asks it now.
      yield* Effect.yieldNow
      const group = take()
      if (group.length > 0) yield* answerTo(group)
      if (waiting.size > 0) continue
      // In the same breath: whoever asks from now on begins another one.
      flights--
      return
    }
  })
  const start = Effect.suspend(() => {
    flights++
    return begun(fly)
  })
  const watch = Effect.gen(function* () {
    for (;;) {
      const [first] = waiting.values()
      yield* Effect.sleep(slowAfter)
      const [still] = waiting.values()
      if (first !== undefined && still === first && flights < flightsMax) yield* start
      if (waiting.size > 0) continue
      isWatched = false
      return
    }
  })
  const watched = Effect.suspend(() => {
    if (isWatched) return Effect.void
    isWatched = true
    return begun(watch)
  })

  return (question) =>
    Effect.suspend(() => {
      const { answered } = entryIn(waiting, question, nameOf(question))
      const isDue = flights === 0 || (flights === 1 && waiting.size >= secondFrom)
      if (!isDue && isWatched) return Effect.succeed(answered)
      // Also for one that waits already: whoever asked it first may have been cut off just then. Whoever asks may be cut off at
      // any step; what is counted as begun is begun.
      return Effect.uninterruptible(Effect.as(isDue ? start : watched, answered))
    })
})

/** The question among those that wait: one of a name is asked once. */
const entryIn = <Q, A>(
  waiting: Map<string, Entry<Q, A>>,
  question: Q,
  name: string
): Entry<Q, A> => {
  const known = waiting.get(name)
  if (known !== undefined) return known
  const answer = Deferred.makeUnsafe<A, StorageError>()
  const answered = Effect.suspend(() => answer.effect ?? Deferred.await(answer))
  const entry = { question, answer, answered }
  waiting.set(name, entry)
  return entry
}

type AskAll<Q, A> = (questions: ReadonlyArray<Q>) => Effect.Effect<ReadonlyArray<A>, StorageError>

const answering = <Q, A>(askAll: AskAll<Q, A>) => {
  const answerTo = (group: ReadonlyArray<Entry<Q, A>>): Effect.Effect<void> =>
    Effect.flatMap(Effect.exit(askAll(group.map(({ question }) => question))), (exit) => {
      // What breaks a question is the affair of one caller, mostly; that the storage is away is everybody's.
      if (group.length > 1 && Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        return Effect.forEach(group, (entry) => answerTo([entry]), { discard: true })
      group.forEach(({ answer }, index) =>
        Deferred.doneUnsafe(
          answer,
          Exit.map(exit, (answers) => answers[index] as A)
        )
      )
      return Effect.void
    })
  return answerTo
}
