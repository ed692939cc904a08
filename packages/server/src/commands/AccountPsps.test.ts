import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readPsps, shownPsps } from "./AccountPsps.ts"

describe("the PSPs of an account, as they are typed", () => {
  it.each([
    ["a", { default: "a", allowed: ["a"] }],
    ["b, a", { default: "b", allowed: ["b", "a"] }],
    [
      "a,b;max=100,a=70,b=30;b",
      {
        default: "a",
        allowed: ["a", "b"],
        rules: [
          {
            max: 100,
            to: [
              { psp: "a", share: 70 },
              { psp: "b", share: 30 }
            ]
          },
          { to: [{ psp: "b" }] }
        ]
      }
    ],
    [
      "a; min = 0.01, max = 5000.50, a",
      { default: "a", allowed: ["a"], rules: [{ min: 0.01, max: 5000.5, to: [{ psp: "a" }] }] }
    ]
  ])("%s", (text, choice) => {
    assert.deepStrictEqual(readPsps(text), Result.succeed(choice))
  })

  it.each([
    ["", /ids of configured/],
    ["a,", /ids of configured/],
    ["max=100,a", /ids of configured/],
    ["a;", /a rule such as/],
    ["a;max=100", /a rule such as/],
    ["a;max=1,max=2,a", /a rule such as/],
    ["a;a=0", /a rule such as/],
    ["a;a=1.5", /a rule such as/],
    ["a;a=1=2", /a rule such as/],
    ["a;=1", /a rule such as/],
    ["a;max=ten,a", /for max an amount in BRL/],
    ["a;min,a", /for min an amount in BRL/]
  ])("%j is refused", (text, sentence) => {
    const read = readPsps(text)
    assert.match(Result.isFailure(read) ? read.failure : "", sentence)
  })

  it("are shown with a line for each rule", () => {
    assert.deepStrictEqual(shownPsps(undefined), [])
    assert.deepStrictEqual(
      shownPsps({
        default: "b",
        allowed: ["a", "b"],
        rules: [
          {
            min: 1,
            max: 1_000,
            to: [
              { psp: "a", share: 70 },
              { psp: "b", share: 30 }
            ]
          },
          { to: [{ psp: "b", share: 1 }] }
        ]
      }),
      [
        ["PSPs, the default first", "b, a"],
        ["New charges, rule 1", "from R$ 1,00 up to R$ 1.000,00 to a 70, b 30"],
        ["New charges, rule 2", "all to b"]
      ]
    )
  })
})
