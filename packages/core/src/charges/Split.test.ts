import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { sum } from "../kernel/Money.ts"
import { askedOf, distribute } from "./Split.ts"

const wallet = (index: number) =>
  `00000000-0000-7000-8000-${String(index).padStart(12, "0")}` as WalletId

const legsOf = (amounts: ReadonlyArray<bigint>) =>
  amounts.map((amount, index) => ({
    wallet: wallet(index),
    reference: `loja-${index}`,
    amount: amount as Centavos
  }))

const applied = (
  amounts: ReadonlyArray<bigint>,
  net: bigint,
  closed: ReadonlyArray<number> = []
): ReadonlyArray<bigint> =>
  distribute(legsOf(amounts), net as Centavos, new Set(closed.map(wallet))).map(
    (leg) => leg.applied
  )

describe("a split", () => {
  it("is paid as it was asked for where it fits", () => {
    assert.deepStrictEqual(applied([300n, 200n], 500n), [300n, 200n])
    assert.deepStrictEqual(applied([300n, 200n], 10_000n), [300n, 200n])
  })

  it("is cut from the first leg on, to zero, and zero legs stay", () => {
    assert.deepStrictEqual(applied([300n, 200n, 100n], 599n), [299n, 200n, 100n])
    assert.deepStrictEqual(applied([300n, 200n, 100n], 300n), [0n, 200n, 100n])
    assert.deepStrictEqual(applied([300n, 200n, 100n], 250n), [0n, 150n, 100n])
    assert.deepStrictEqual(applied([300n, 200n, 100n], 1n), [0n, 0n, 1n])
    assert.deepStrictEqual(applied([300n, 200n, 100n], 0n), [0n, 0n, 0n])
  })

  it("leaves the leg to a closed wallet with the owner, before anybody else is cut", () => {
    assert.deepStrictEqual(applied([300n, 200n, 100n], 600n, [1]), [300n, 0n, 100n])
    assert.deepStrictEqual(applied([300n, 200n, 100n], 400n, [1]), [300n, 0n, 100n])
    assert.deepStrictEqual(applied([300n, 200n, 100n], 350n, [1]), [250n, 0n, 100n])
    assert.deepStrictEqual(applied([300n], 1_000n, [0]), [0n])
  })
})

const amounts = Schema.Array(
  Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 10n }))
).check(Schema.isMinLength(1), Schema.isMaxLength(20))
const net = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 11n }))

it.effect.prop(
  "whatever is asked and left, no leg is negative or above what was asked, and no centavo is withheld",
  { amounts, net, closed: Schema.Array(Schema.Boolean) },
  ({ amounts, closed, net }) =>
    Effect.sync(() => {
      const shut = amounts.flatMap((_, index) => (closed[index] === true ? [index] : []))
      const got = applied(amounts, net, shut)
      const asked = amounts.map((amount, index) => (shut.includes(index) ? 0n : amount))
      const total = got.reduce((all, part) => all + part, 0n)
      assert.strictEqual(got.length, amounts.length)
      got.forEach((part, index) => assert.isTrue(part >= 0n && part <= (asked[index] ?? 0n)))
      const fits = asked.reduce((all, part) => all + part, 0n)
      assert.strictEqual(total, fits < net ? fits : net)
    })
)

it.effect.prop(
  "a leg is cut only when every leg before it is at zero",
  { amounts, net },
  ({ amounts, net }) =>
    Effect.sync(() => {
      const got = applied(amounts, net)
      const firstPaid = got.findIndex((part) => part > 0n)
      if (firstPaid === -1) assert.strictEqual(net, 0n)
      else assert.deepStrictEqual(got.slice(firstPaid + 1), amounts.slice(firstPaid + 1))
      assert.strictEqual(askedOf(legsOf(amounts)), sum(amounts as ReadonlyArray<Centavos>))
    })
)
