import { Redacted, Result } from "effect"

/** One setting of a deployment: its name in the environment, and what may stand there. */
export interface Variable<A> {
  readonly name: string
  /** May also be given as the path of a file, in a variable of this name and `_FILE`. */
  readonly isSecret: boolean
  readonly absent: Result.Result<A, string>
  /** What is wrong is said without the text: it may be a secret in the wrong place. */
  readonly read: (text: string) => Result.Result<A, string>
}

/** `read` answers undefined for what cannot be; `form` says what can. */
export const variable = <A>(
  name: string,
  absent: A,
  form: string,
  read: (text: string) => A | undefined
): Variable<A> => ({
  name,
  isSecret: false,
  absent: Result.succeed(absent),
  read: (text) => {
    const value = read(text)
    return value === undefined ? Result.fail(`${name} must be ${form}.`) : Result.succeed(value)
  }
})

export const text = <A extends string | undefined>(
  name: string,
  absent: A,
  form: string,
  pattern: RegExp
): Variable<string | A> =>
  variable<string | A>(name, absent, form, (given) => (pattern.test(given) ? given : undefined))

export const number = (name: string, absent: number, min: number, max: number): Variable<number> =>
  variable(name, absent, `a whole number from ${min} to ${max}`, (given) => {
    const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
    return value >= min && value <= max ? value : undefined
  })

/** A secret that may be left out. What is read is not told in a fault. */
export const secretText = (
  name: string,
  form: string,
  pattern: RegExp
): Variable<Redacted.Redacted | undefined> => ({
  name,
  isSecret: true,
  absent: Result.succeed(undefined),
  read: (given) =>
    pattern.test(given)
      ? Result.succeed(Redacted.make(given))
      : Result.fail(`${name} must be ${form}.`)
})

/** A time that a client may take. The default is in milliseconds. */
export const seconds = (name: string, absentMillis: number): Variable<number> =>
  number(name, absentMillis / 1_000, 1, 300)

export const port = (name: string, absent: number): Variable<number> => {
  const plain = number(name, absent, 0, 65_535)
  return {
    ...plain,
    read: (given) =>
      /^(tcp|udp):\/\//.test(given)
        ? Result.fail(
            `${name} was set by Kubernetes for a Service of this name: set enableServiceLinks: false in the pod, and ${name} to a number.`
          )
        : plain.read(given)
  }
}

export const yesOrNo = (name: string, absent: boolean): Variable<boolean> =>
  variable(name, absent, "true or false", (given) =>
    given === "true" ? true : given === "false" ? false : undefined
  )

export const choice = <A>(
  name: string,
  absent: A,
  choices: Readonly<Record<string, A>>
): Variable<A> =>
  variable(name, absent, `one of ${Object.keys(choices).join(", ")}`, (given) =>
    Object.hasOwn(choices, given) ? choices[given] : undefined
  )

export const list = <A>(
  name: string,
  absent: ReadonlyArray<A>,
  form: string,
  read: (part: string) => A | undefined
): Variable<ReadonlyArray<A>> =>
  variable(name, absent, form, (given) => {
    const all = given.split(",").flatMap((part) => read(part.trim()) ?? [])
    return all.length === given.split(",").length ? all : undefined
  })
