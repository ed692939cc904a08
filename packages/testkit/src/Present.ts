type Optional<A> = { [K in keyof A]: undefined extends A[K] ? K : never }[keyof A]

type Present<A> = { readonly [K in Exclude<keyof A, Optional<A>>]: A[K] } & {
  readonly [K in Optional<A>]?: Exclude<A[K], undefined>
}

/** Leaves out fields without a value. */
export const present = <const A extends object>(fields: A): Present<A> => {
  const left: Partial<A> = {}
  for (const name in fields) if (fields[name] !== undefined) left[name] = fields[name]
  return left as Present<A>
}
