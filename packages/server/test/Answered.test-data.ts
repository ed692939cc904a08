import { assert } from "@effect/vitest"
import type { HttpAnswer } from "@pagora/testkit"

/** What was answered, with the status that it must have. */
export const answered = <Body>(answer: HttpAnswer<Body>, status: number): Body => {
  assert.strictEqual(answer.status, status, answer.text)
  return answer.json
}
