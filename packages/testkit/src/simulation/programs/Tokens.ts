import type { KnownCredential } from "./Asked.ts"
import type { Answered, Door } from "./Door.ts"
import { textAt } from "./Json.ts"

/** A token lasts 300 seconds; clients do not wait for that. */
const reuseMax = 250_000

/** `revoked`: there is none any more; `away`: nobody could say. */
export type Token = { readonly text: string } | "revoked" | "away"

/** Gets tokens of credentials, and uses them for a while. */
export class Tokens {
  private readonly door: Door
  private readonly now: () => number
  private readonly seen: (answer: Answered) => void
  private readonly waiting = new Map<KnownCredential, Array<(token: Token) => void>>()

  constructor(door: Door, now: () => number, seen: (answer: Answered) => void) {
    this.door = door
    this.now = now
    this.seen = seen
  }

  /** Those who ask at once for the same one wait for one answer. */
  with(credential: KnownCredential, process: number, then: (token: Token) => void): void {
    const { token } = credential
    if (token !== undefined && this.now() - token.since < reuseMax) return then(token)
    const others = this.waiting.get(credential)
    if (others !== undefined) {
      others.push(then)
      return
    }
    const all = [then]
    this.waiting.set(credential, all)
    const since = this.now()
    const body = JSON.stringify({ client_id: credential.id, client_secret: credential.secret })
    const headers = { "content-type": "application/json" }
    const request = { method: "POST", path: "/auth", headers, body }
    this.door.call(process, "tenant", request, (answer) => {
      this.seen(answer)
      this.waiting.delete(credential)
      const got = this.taken(credential, since, answer)
      for (const one of all) one(got)
    })
  }

  /** It was refused: another one is needed. */
  forget(credential: KnownCredential, text: string): void {
    if (credential.token?.text === text) delete credential.token
  }

  private taken(credential: KnownCredential, since: number, answer: Answered): Token {
    if (answer === "lost") return "away"
    const text = textAt(answer.json, "access_token")
    if (answer.status !== 200 || text === "") return answer.status === 401 ? "revoked" : "away"
    credential.token = { text, since }
    return { text }
  }
}
