import type { World } from "./World.ts"

/** One thing that every deployment does. */
export interface Check {
  /** The rules that it proves, by their ids in docs/reference/spec-coverage.md. */
  readonly rules: ReadonlyArray<string>
  readonly title: string
  /** It moves the clock of the whole deployment, or disturbs its PSP: runs alone, after all others. */
  readonly alone?: boolean
  readonly run: (world: World) => Promise<void>
}

/** The checks of one section of the specification. */
export interface Section {
  readonly name: string
  readonly checks: ReadonlyArray<Check>
}
