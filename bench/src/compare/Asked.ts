/** A question to a server that is measured, beside what it serves. */
interface Question {
  readonly id: number
  readonly name: string
  readonly argument: unknown
}

export interface Answered {
  readonly id: number
  readonly value: unknown
}

/** Answers the bench, which started this process, by name. It keeps nobody alive. */
export const answering = (
  answers: Readonly<Record<string, (argument: unknown) => unknown>>
): void => {
  process.on("message", ({ argument, id, name }: Question) => {
    const answer = answers[name]
    if (answer === undefined) return
    void Promise.resolve(answer(argument)).then((value) =>
      process.send?.({ id, value } satisfies Answered)
    )
  })
  process.channel?.unref()
}
