type Optional<A> = { [K in keyof A]: undefined extends A[K] ? K : never }[keyof A]

/** Leaves out fields without a value: what is absent has no field. */
export const present = <const A extends object>(
  fields: A
): { readonly [K in Exclude<keyof A, Optional<A>>]: A[K] } & {
  readonly [K in Optional<A>]?: Exclude<A[K], undefined>
} => {
  const left: Partial<A> = {}
  for (const name in fields) if (fields[name] !== undefined) left[name] = fields[name]
  return left as ReturnType<typeof present<A>>
}
