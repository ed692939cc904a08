import { Effect } from "effect"
import { PspOutcome } from "../ports/Psp.ts"

/** Every outcome that is no answer. */
export type NotDone = Exclude<PspOutcome<never>, { readonly _tag: "Done" }>

/** What a PSP answers. Whatever else comes of a call fails, so that only answers are gone on with. */
export type Asked<A> = Effect.Effect<A, NotDone>

export const failed = (outcome: PspOutcome<never>): Asked<never> => Effect.fail(outcome as NotDone)

export const outcomeOf = <A>(asked: Asked<A>): Effect.Effect<PspOutcome<A>> =>
  Effect.match(asked, {
    onFailure: (outcome): PspOutcome<A> => outcome,
    onSuccess: PspOutcome.done
  })

/** An answer about something else says nothing of what was done. */
export const another = PspOutcome.unknown("an answer about something else")

/**
 * An order whose refusal is believed once its look-up says that nothing is there: a repeat of what was done may be refused as a
 * duplicate, or for what the first try has used up.
 */
export const unlessThere = <A>(ordered: Asked<A>, find: Asked<A | undefined>): Asked<A> =>
  Effect.catchTag(ordered, "Rejected", (refused) =>
    find.pipe(
      Effect.catch((outcome) => failed(unknownFor("a refusal that could not be checked", outcome))),
      (found) => orFail(found, refused)
    )
  )

/**
 * What follows an order that was taken. Nothing that comes of it says that the order was not: what is no answer to it leaves the
 * outcome unknown.
 */
export const onceTaken = <A>(next: Asked<A>): Asked<A> =>
  Effect.catch(next, (outcome) =>
    failed(outcome._tag === "Unknown" ? outcome : unknownFor("taken, and not seen since", outcome))
  )

/** Unknown, for as long as the PSP wants to be left alone. */
const unknownFor = (detail: string, outcome: NotDone): PspOutcome<never> =>
  PspOutcome.unknown(detail, outcome._tag === "NotNow" ? outcome.after : undefined)

/** Goes on with what is there. */
export const whereThere = <A, B>(
  asked: Asked<A | undefined>,
  next: (there: A) => Asked<B | undefined>
): Asked<B | undefined> =>
  Effect.flatMap(asked, (there) => (there === undefined ? Effect.undefined : next(there)))

/** What is there, or what its absence comes to. */
export const orFail = <A>(asked: Asked<A | undefined>, otherwise: PspOutcome<never>): Asked<A> =>
  Effect.flatMap(asked, (there) =>
    there === undefined ? failed(otherwise) : Effect.succeed(there)
  )
