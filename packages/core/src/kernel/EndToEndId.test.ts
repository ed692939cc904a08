import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import * as EndToEndId from "./EndToEndId.ts"
import { pixVectors } from "./PixVectors.test-data.ts"

const instant = (iso: string): DateTime.Utc => DateTime.makeUnsafe(iso)
const reasonOf = (result: Result.Result<unknown, EndToEndId.InvalidEndToEndId>) =>
  Result.isFailure(result) ? result.failure.reason : "accepted"

describe("published ids", () => {
  for (const [text, ispb, utcMinute, suffix] of pixVectors.endToEndIds) {
    it(`${text} is of ${ispb} at ${utcMinute}`, () => {
      const id = Result.getOrThrow(EndToEndId.parse(text))
      const parts = EndToEndId.partsOf(id)
      assert.strictEqual<string>(id, text)
      assert.strictEqual(parts.ispb, ispb)
      assert.strictEqual(parts.suffix, suffix)
      assert.strictEqual(DateTime.formatIso(parts.minute), utcMinute.replace("Z", ":00.000Z"))
      assert.deepStrictEqual(EndToEndId.make(parts), Result.succeed(id))
      assert.isTrue(Schema.is(EndToEndId.EndToEndId)(text))
      assert.strictEqual(reasonOf(EndToEndId.parseReturn(text)), "form")
    })
  }

  for (const [text, note] of pixVectors.badEndToEndIds) {
    it(`${text} is none (${note})`, () => {
      assert.notStrictEqual(reasonOf(EndToEndId.parse(text)), "accepted")
      assert.isFalse(Schema.is(EndToEndId.EndToEndId)(text))
    })
  }

  for (const [text, valid] of pixVectors.returnIds) {
    it(`${text} ${valid ? "is" : "is not"} the id of a return`, () => {
      const result = EndToEndId.parseReturn(text)
      assert.strictEqual(Result.isSuccess(result), valid)
      assert.strictEqual(Schema.is(EndToEndId.ReturnId)(text), valid)
      if (Result.isSuccess(result)) {
        const parts = EndToEndId.partsOf(result.success)
        assert.deepStrictEqual(EndToEndId.makeReturn(parts), result)
        assert.strictEqual(reasonOf(EndToEndId.parse(text)), "form")
      }
    })
  }
})

describe("the minute", () => {
  const minutes: ReadonlyArray<readonly [string, boolean]> = [
    ["202402291200", true],
    ["202302291200", false],
    ["210002291200", false],
    ["200002291200", true],
    ["202604311200", false],
    ["202600101200", false],
    ["202613101200", false],
    ["202601001200", false],
    ["202601321200", false],
    ["202612312359", true],
    ["202612312400", false],
    ["202612312360", false],
    ["000101010000", true],
    ["999912312359", true]
  ]
  for (const [minute, real] of minutes) {
    it(`${minute} ${real ? "is" : "is not"} real`, () => {
      const result = EndToEndId.parse(`E12345678${minute}abcdef12345`)
      assert.strictEqual(reasonOf(result), real ? "accepted" : "minute")
    })
  }
})

describe("the form", () => {
  const refused = [
    "",
    "E12345678202009091221abcdef1234",
    "E12345678202009091221abcdef123456",
    "E12345678202009091221abcdef1234é",
    "E12345678202009091221abcdef1234-",
    "E1234567a202009091221abcdef12345",
    "E12345678202009091221abcdef12345\n",
    " E12345678202009091221abcdef1234",
    "F12345678202009091221abcdef12345",
    "E1234567820200909122١abcdef12345"
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.strictEqual(reasonOf(EndToEndId.parse(text)), "form")
    })
  }
})

describe("make", () => {
  const parts = {
    ispb: "12ABC345",
    minute: instant("2026-11-20T15:30:59.999Z"),
    suffix: "a1B2c3D4e5F"
  }

  it("drops the seconds", () => {
    assert.deepStrictEqual(
      EndToEndId.make(parts),
      Result.succeed(EndToEndId.EndToEndId.make("E12ABC345202611201530a1B2c3D4e5F"))
    )
    assert.deepStrictEqual(
      EndToEndId.makeReturn(parts),
      Result.succeed(EndToEndId.ReturnId.make("D12ABC345202611201530a1B2c3D4e5F"))
    )
  })

  it("refuses parts that do not fit", () => {
    assert.strictEqual(reasonOf(EndToEndId.make({ ...parts, ispb: "1234567" })), "ispb")
    assert.strictEqual(reasonOf(EndToEndId.make({ ...parts, ispb: "1234567a" })), "ispb")
    assert.strictEqual(reasonOf(EndToEndId.make({ ...parts, suffix: "short" })), "suffix")
    assert.strictEqual(reasonOf(EndToEndId.make({ ...parts, suffix: "abcdef1234é" })), "suffix")
    const far = instant("+010000-01-01T00:00:00Z")
    assert.strictEqual(reasonOf(EndToEndId.make({ ...parts, minute: far })), "minute")
  })

  const Parts = {
    ispb: Schema.String.check(Schema.isPattern(/^[0-9A-Z]{8}$/)),
    millis: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 253_402_300_799_999 })),
    suffix: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{11}$/))
  }
  it.prop("is undone by partsOf", Parts, ({ ispb, millis, suffix }) => {
    const minute = DateTime.makeUnsafe(millis)
    const id = Result.getOrThrow(EndToEndId.make({ ispb, minute, suffix }))
    assert.deepStrictEqual(EndToEndId.parse(id), Result.succeed(id))
    const back = EndToEndId.partsOf(id)
    assert.strictEqual(back.ispb, ispb)
    assert.strictEqual(back.suffix, suffix)
    assert.strictEqual(DateTime.toEpochMillis(back.minute), millis - (millis % 60_000))
  })
})
