import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { BalanceComparison } from "./BalanceComparison.ts"
import { looked, unexplainedIn } from "./BalanceComparison.ts"

const id = "00000000-0000-7000-8000-0000000000ba" as PspCredentialId
const brl = (centavos: number) => BigInt(centavos) as Centavos
const hour = (count: number) => DateTime.makeUnsafe(count * 3_600_000)
const compared = (available: number, ledger: number, underWay = 0, blocked = 0) => ({
  id,
  balance: { available: brl(available), blocked: brl(blocked) },
  ledger: brl(ledger),
  underWay: brl(underWay)
})

describe("what of a difference cannot be explained", () => {
  it.each([
    ["nothing where both are alike", compared(100, 100), 0n],
    ["nothing where the rest is blocked", compared(60, 100, 0, 40), 0n],
    ["nothing where a payout has left that is not booked", compared(70, 100, 30), 0n],
    ["nothing where it has not left yet", compared(100, 100, 30), 0n],
    ["nothing where one of two has left", compared(80, 100, 30), 0n],
    ["what is missing beyond that", compared(60, 100, 30), -10n],
    ["all that is missing where nothing is under way", compared(60, 100), -40n],
    ["all that is there besides, whatever is under way", compared(140, 100, 30), 40n]
  ] as const)("%s", (_, one, expected) => assert.strictEqual<bigint>(unexplainedIn(one), expected))
})

describe("a difference", () => {
  /** What is told at each look, an hour apart. */
  const told = (...looks: ReadonlyArray<ReturnType<typeof compared>>) => {
    let before: BalanceComparison | undefined
    return looks.map((one, index) => {
      const { isNews, next, stands } = looked(before, one, hour(index))
      before = next
      return isNews ? "told" : stands ? "stands" : "not told"
    })
  }

  it("is told once it was the same twice, and once", () => {
    const missing = compared(60, 100)
    assert.deepStrictEqual(told(missing, missing, missing, missing), [
      "not told",
      "told",
      "stands",
      "stands"
    ])
  })

  it("that changes from look to look is not: money comes and goes", () =>
    assert.deepStrictEqual(told(compared(101, 100), compared(205, 203), compared(303, 300)), [
      "not told",
      "not told",
      "not told"
    ]))

  it("that is none is not told, however long", () => {
    const even = compared(70, 100, 30)
    assert.deepStrictEqual(told(even, even, even), ["not told", "not told", "not told"])
  })

  it("that grew is told anew once it stands still", () => {
    const [one, more] = [compared(99, 100), compared(98, 100)]
    assert.deepStrictEqual(told(one, one, more, more, more), [
      "not told",
      "told",
      "not told",
      "told",
      "stands"
    ])
  })

  it("remembers since when it has been the same", () => {
    const first = looked(undefined, compared(60, 100), hour(1))
    const second = looked(first.next, compared(160, 200), hour(2))
    assert.deepStrictEqual([second.next.since, second.next.at], [hour(1), hour(2)])
  })
})
