import type { Effect } from "effect"

/** JSON of no declared route, for assertions: any path may be asked for, and is undefined where nothing is. */
export interface JsonBody {
  readonly [key: string]: JsonBody
}

/** What tells one refusal from another, and what a program needs to know of it. */
interface Details {
  readonly code?: string
  readonly resource?: string
  readonly field?: string
  readonly issues?: ReadonlyArray<{ readonly field: string; readonly message: string }>
  readonly [more: string]: unknown
}

/** The envelope of a refusal, which any call may be answered with. */
interface Envelope {
  readonly statusCode?: number
  readonly error?: string
  readonly message?: string
  readonly details?: Details
  readonly timestamp?: string
  readonly traceId?: string
}

/** One answer, its body read. */
export interface Answer<Body = JsonBody> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as the contract has it, or the envelope of a refusal: the status tells which. Empty when it is no JSON. */
  readonly json: Body & Envelope
}

/** The segments of a path. What a template fills in is a `string`. */
type Segments<Path> = Path extends `${infer Head}/${infer Rest}`
  ? [Head, ...Segments<Rest>]
  : [Path]

type WithoutQuery<Path> = Path extends `${infer Before}?${string}` ? Before : Path

/** Whether these segments are asked for where those are declared. A template may fill in the query: `transactions${query}`. */
type Fits<Asked, Declared> = Asked extends [infer One, ...infer Others]
  ? Declared extends [infer Segment, ...infer Rest]
    ? Segment extends `:${string}`
      ? Fits<Others, Rest>
      : One extends Segment
        ? Fits<Others, Rest>
        : Rest extends []
          ? BeginsWith<One, Segment>
          : false
    : false
  : Declared extends []
    ? true
    : false

type BeginsWith<One, Segment> = One extends `${Segment & string}${string}`
  ? {} extends Readonly<Record<One, unknown>>
    ? true
    : false
  : false

type RouteOf<Answers, Method extends string, Path> = {
  [Route in keyof Answers]: Route extends `${Method} ${infer Declared}`
    ? Fits<Segments<WithoutQuery<Path>>, Segments<Declared>> extends true
      ? Route
      : never
    : never
}[keyof Answers]

type Found<Answers, Route extends keyof Answers> = [Route] extends [never]
  ? JsonBody
  : [Answers[Route]] extends [void]
    ? JsonBody
    : Answers[Route]

/** What a call is answered by the contract; any JSON where the types do not tell which route it is. */
export type AnswerTo<Answers, Method extends string, Path extends string> = string extends
  | Method
  | Path
  ? JsonBody
  : Found<Answers, RouteOf<Answers, Method, Path>>

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The address that the request comes from. */
  readonly from?: string
  /** A text goes out as it is, and so do bytes, with no content type of their own; anything else as JSON. */
  readonly body?: unknown
}

/** Calls an API by method and path; answered as that route is. */
export type Call<Answers> = <const Method extends string, const Path extends string>(
  method: Method,
  path: Path,
  options?: CallOptions
) => Effect.Effect<Answer<AnswerTo<Answers, Method, Path>>>
