import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { madeOfRandom } from "../kernel/IdMaker.ts"
import type { Uuid } from "../kernel/Ids.ts"
import { PspCredentialId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { PspRule } from "./PspRule.ts"
import { draw, placesFor } from "./PspRule.ts"

const [a, b, c] = ["a", "b", "c"].map((end) =>
  PspCredentialId.make(`00000000-0000-7000-8000-00000000000${end}`)
) as [PspCredentialId, PspCredentialId, PspCredentialId]

const brl = (centavos: number) => BigInt(centavos) as Centavos
const alone = (psp: PspCredentialId): PspRule["to"] => [{ psp, share: 1 }]
const one = "019a2b3c-dead-7000-8000-00000000beef" as Uuid
const all = () => true

/** Where a charge goes while these do not take any. */
const wentTo = (
  rules: ReadonlyArray<PspRule>,
  { amount = 10_00, away = [] }: { amount?: number; away?: ReadonlyArray<string> } = {}
) => draw(placesFor(rules, a, brl(amount)), one, (psp) => !away.includes(psp))

describe("the PSP of a new charge by rules", () => {
  const small: PspRule = { max: brl(100_00), to: alone(b) }
  const large: PspRule = { min: brl(5_000_00), to: alone(c) }
  const between: PspRule = { min: brl(10_00), max: brl(20_00), to: alone(c) }
  it.each([
    ["no rule: the default", [], 10_00, a],
    ["up to max, which is in it", [small], 100_00, b],
    ["a centavo above max: the default", [small], 100_01, a],
    ["from min, which is in it", [large], 5_000_00, c],
    ["a centavo below min: the default", [large], 4_999_99, a],
    ["between both, at the lower end", [between], 10_00, c],
    ["between both, at the upper end", [between], 20_00, c],
    ["a max of nothing is a bound", [{ max: brl(0), to: alone(b) }], 1, a],
    ["the first that fits", [between, small], 15_00, c],
    ["the next where the first does not", [between, small], 9_99, b],
    ["a rule without bounds is for all", [{ to: alone(b) }, large], 9_000_00, b]
  ] as const)("%s", (_, rules, amount, psp) => {
    assert.deepStrictEqual(wentTo(rules, { amount }), { psp, passedOver: [] })
  })

  const both: PspRule = { to: [...alone(a), ...alone(b)] }
  it.each([
    ["the next rule that fits", [{ to: alone(b) }, { to: alone(c) }], [b], c, [b]],
    ["none that does not fit", [{ to: alone(b) }, large], [b], a, [b]],
    ["the default at last", [{ to: alone(b) }, { to: alone(c) }], [b, c], a, [b, c]],
    ["the default, too, is passed over by a rule before it", [both], [a], b, undefined],
    ["nobody where none is left", [both, { to: alone(c) }], [a, b, c], undefined, undefined],
    ["and without rules the default alone counts", [], [a], undefined, undefined]
  ] as const)("who takes none is passed over: %s", (_, rules, away, psp, passedOver) => {
    const drawn = wentTo(rules, { away })
    assert.strictEqual(drawn?.psp, psp)
    if (passedOver !== undefined) assert.deepStrictEqual(drawn?.passedOver, passedOver)
  })

  it("asks nobody twice whether he takes it, and nobody who is not drawn", () => {
    const asked: Array<PspCredentialId> = []
    const rules = [{ to: alone(b) }, { to: alone(b) }, { to: alone(c) }]
    draw(placesFor(rules, a, brl(10_00)), one, (psp) => asked.push(psp) > 1)
    assert.deepStrictEqual(asked, [b, c])
  })
})

describe("shares", () => {
  const count = 10_000
  const rules = [
    {
      to: [
        { psp: a, share: 50 },
        { psp: b, share: 30 },
        { psp: c, share: 20 }
      ]
    }
  ]
  const places = placesFor(rules, a, brl(10_00))
  /** As a busy process makes them: many in one millisecond. */
  const made = Effect.runSync(
    Effect.map(
      Effect.forEach(
        Array.from({ length: count }),
        (
          (maker) => () =>
            maker.next<Uuid>()
        )(madeOfRandom())
      ),
      (ids) => ids
    )
  )
  const counted = (ids: ReadonlyArray<Uuid>, takes: (psp: PspCredentialId) => boolean) => {
    const counts = new Map<PspCredentialId | undefined, number>()
    for (const id of ids) {
      const psp = draw(places, id, takes)?.psp
      counts.set(psp, (counts.get(psp) ?? 0) + 1)
    }
    return (psp: PspCredentialId) => (counts.get(psp) ?? 0) / ids.length
  }

  it.each([
    ["made in a moment", made],
    [
      "that differ in their last digits alone",
      Array.from(
        { length: count },
        (_, index) => `019a2b3c-dead-7000-8000-${String(index).padStart(12, "0")}` as Uuid
      )
    ]
  ] as const)("are kept over 10,000 ids %s", (_, ids) => {
    const share = counted(ids, all)
    assert.closeTo(share(a), 0.5, 0.02)
    assert.closeTo(share(b), 0.3, 0.02)
    assert.closeTo(share(c), 0.2, 0.02)
  })

  it("of one that takes none go to the others by theirs, and what was theirs stays", () => {
    const withoutA = counted(made, (psp) => psp !== a)
    assert.strictEqual(withoutA(a), 0)
    assert.closeTo(withoutA(b), 0.6, 0.02)
    for (const id of made) {
      const psp = draw(places, id, all)?.psp
      if (psp !== a) assert.strictEqual(draw(places, id, (other) => other !== a)?.psp, psp)
    }
  })

  it("are drawn by the id alone: the same again, here and in every other process and version", () => {
    for (const id of made) assert.deepStrictEqual(draw(places, id, all), draw(places, id, all))
    const known = ["00", "01", "02", "03", "04", "05", "06", "07"].map((end) =>
      draw(places, `019a2b3c-dead-7000-8000-0000000000${end}` as Uuid, all)?.psp.at(-1)
    )
    assert.strictEqual(known.join(""), "aaaacaab")
  })
})
