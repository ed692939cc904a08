import { Option } from "effect"

type Present<Fields> = {
  readonly [Name in keyof Fields]?: Fields[Name] extends Option.Option<infer A> ? A : never
}

/** The fields that were given, without those that were not. */
export const given = <Fields extends Readonly<Record<string, Option.Option<unknown>>>>(
  fields: Fields
): Present<Fields> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      Option.isSome(value) ? [[name, value.value]] : []
    )
  ) as Present<Fields>
