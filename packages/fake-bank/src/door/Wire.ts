import type { Answer, Received } from "./Exchange.ts"

/** A request in the bytes in which it came. */
export interface RawRequest {
  readonly method: string
  /** With its query; with its host or without. */
  readonly url: string
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** The request, read. */
export const receivedFrom = ({ body, headers, method, url }: RawRequest): Received => {
  const { pathname, searchParams } = new URL(url, "https://localhost")
  const query = Object.fromEntries([...searchParams].toReversed())
  return { method, path: pathname, query, headers, body, json: parsed(body) }
}

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return undefined
  }
}

/** An answer as it goes out. */
export interface WrittenAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export const written = ({ body, headers, status, text }: Answer): WrittenAnswer => ({
  status,
  headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  text: text ?? (body === undefined ? "" : JSON.stringify(body))
})
