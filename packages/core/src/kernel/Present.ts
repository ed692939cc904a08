type Optional<A> = { [K in keyof A]: undefined extends A[K] ? K : never }[keyof A]

/** Fields that have a value, or are not there at all. */
export type Present<A> = { readonly [K in Exclude<keyof A, Optional<A>>]: A[K] } & {
  readonly [K in Optional<A>]?: Exclude<A[K], undefined>
}

/** Leaves out fields without a value: what is absent has no field, here, in documents and on the wire. */
export const present = <const A extends object>(fields: A): Present<A> => {
  const left: Partial<A> = {}
  for (const name in fields) if (fields[name] !== undefined) left[name] = fields[name]
  return left as Present<A>
}
