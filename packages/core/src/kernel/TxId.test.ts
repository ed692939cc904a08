import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { Uuid } from "./Ids.ts"
import { pixVectors } from "./PixVectors.test-data.ts"
import * as TxId from "./TxId.ts"

describe("published txids", () => {
  for (const [text, inCharge, inStatic, note] of pixVectors.txids) {
    it(`${JSON.stringify(text)} (${note})`, () => {
      assert.strictEqual(Result.isSuccess(TxId.parse(text)), inCharge)
      assert.strictEqual(Result.isSuccess(TxId.parseStatic(text)), inStatic)
      assert.strictEqual(Schema.is(TxId.TxId)(text), inCharge)
      assert.strictEqual(Schema.is(TxId.StaticTxId)(text), inStatic)
    })
  }

  it("refuses look-alikes", () => {
    for (const text of ["****", "**", "a***", "abc\n", "é", `${"a".repeat(31)}é`, "a b"]) {
      assert.isTrue(Result.isFailure(TxId.parse(text)), text)
      assert.isTrue(Result.isFailure(TxId.parseStatic(text)), text)
    }
  })
})

describe("txids of ours", () => {
  const uuid = Uuid.make("7978c0c9-7ea8-47e7-8e88-49634473c1f1")

  it("are the id without hyphens", () => {
    assert.strictEqual(TxId.fromUuid(uuid), "7978c0c97ea847e78e8849634473c1f1")
  })

  it.prop("lead back to the id", { id: Uuid }, ({ id }) => {
    const txid = TxId.fromUuid(id)
    assert.deepStrictEqual(TxId.parse(txid), Result.succeed(txid))
    assert.deepStrictEqual(TxId.toUuid(txid), Result.succeed(id))
  })

  it("are told from those of others", () => {
    const foreign = [
      "7978C0C97EA847E78E8849634473C1F1",
      "7978c0c97ea847e78e8849634473c1fg",
      "7978c0c97ea847e78e8849634473c1f",
      "7978c0c97ea847e78e8849634473c1f10"
    ]
    for (const text of foreign) {
      const result = TxId.toUuid(TxId.TxId.make(text))
      assert.strictEqual(Result.isFailure(result) && result.failure.reason, "foreign", text)
    }
  })
})
