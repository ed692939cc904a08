import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema, SchemaGetter } from "effect"
import { Uuid, WalletId } from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { CentavosString } from "../kernel/Money.ts"
import * as Kind from "./Kind.ts"

const Thing = Schema.Struct({
  id: Uuid,
  account: Uuid,
  status: Schema.String,
  amount: Schema.optionalKey(CentavosString),
  name: Schema.optionalKey(Schema.String),
  note: Schema.String
})

const id = Uuid.make("00000000-0000-7000-8000-000000000001")
const wallet = WalletId.make("00000000-0000-7000-8000-000000000002")

const kindOf = (status: (thing: typeof Thing.Type) => string) =>
  Kind.make({
    name: "thing",
    table: "operation",
    schema: Thing,
    refField: "name",
    columns: (thing) => ({
      id: thing.id,
      account: thing.account,
      wallet,
      status: status(thing),
      ...(thing.amount === undefined ? {} : { amount: thing.amount }),
      ref: thing.name
    })
  })

const full = { id, account: id, status: "open", amount: 5n as Centavos, name: "n", note: 'é "x"' }
const bare = { id, account: id, status: "open", note: "" }

describe("a kind", () => {
  const kind = kindOf((thing) => thing.status)

  it("writes nothing twice: what stands in a column is not in the document", () => {
    const row = kind.row(full)
    assert.deepStrictEqual(JSON.parse(row.document), { note: full.note })
    assert.deepStrictEqual(
      [row.id, row.account, row.wallet, row.status, row.amount, row.ref],
      [id, id, wallet, "open", 5n, "n"]
    )
  })

  it("reads back what was written, absent fields as absent", () => {
    for (const thing of [full, bare]) {
      const read = kind.read({ ...kind.row(thing), version: 3 })
      assert.deepStrictEqual(read, { value: thing, version: 3 })
    }
  })

  it("keeps a field that says something else than the column of its name", () => {
    const other = kindOf(() => "closed")
    const row = other.row(full)
    assert.deepStrictEqual(JSON.parse(row.document), { status: "open", note: full.note })
    assert.deepStrictEqual(other.read({ ...row, version: 1 }).value, full)
  })

  it("writes the instant of its id once, and another one as it is", () => {
    const Born = Schema.Struct({ id: Uuid, createdAt: Schema.DateTimeUtcFromString })
    const born = Kind.make({
      name: "born",
      table: "operation",
      schema: Born,
      bornField: "createdAt",
      columns: (thing) => ({ id: thing.id, account: thing.id, wallet, status: "" })
    })
    const at = (millis: number) => ({
      id: Uuid.make("0195a4b0-1c2d-7000-8000-000000000001"),
      createdAt: DateTime.makeUnsafe(millis)
    })
    const [same, later] = [at(0x0195a4b01c2d), at(0x0195a4b01c2e)]
    assert.strictEqual(born.row(same).document, "{}")
    assert.strictEqual(born.row(later).document, '{"createdAt":"2025-03-17T15:19:19.854Z"}')
    for (const thing of [same, later]) {
      assert.deepStrictEqual(born.read({ ...born.row(thing), version: 1 }).value, thing)
    }
  })

  it("encodes a value once for its row and its snapshot, and not at all to expect it", () => {
    const encoded: Array<string> = []
    const Watched = Schema.String.pipe(
      Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.passthrough(),
        encode: SchemaGetter.transform((text: string) => {
          encoded.push(text)
          return text
        })
      })
    )
    const watched = Kind.make({
      name: "watched",
      table: "registry",
      schema: Schema.Struct({ id: Uuid, note: Watched }),
      columns: (thing) => ({ id: thing.id, account: thing.id, wallet, status: "" })
    })
    const [one, two] = [
      { id, note: "one" },
      { id, note: "two" }
    ]
    assert.strictEqual(watched.row(one).document, '{"note":"one"}')
    assert.strictEqual(watched.snapshot(one), JSON.stringify(one))
    assert.strictEqual(watched.row(two).document, '{"note":"two"}')
    assert.deepStrictEqual(encoded, ["one", "two"])
    assert.deepStrictEqual(Kind.expectation(watched, { value: one, version: 4 }), {
      table: "registry",
      id,
      version: 4
    })
    assert.deepStrictEqual(encoded, ["one", "two"])
  })

  it("throws on a document that is not one", () => {
    assert.throws(() => kind.read({ ...kind.row(full), document: '{"note":1}', version: 1 }))
    assert.throws(() => kind.read({ ...kind.row(full), document: "{", version: 1 }))
  })
})

describe("reading", () => {
  const kind = kindOf((thing) => thing.status)
  const stored = { ...kind.row(full), version: 1 }

  it("answers the same value for the same row, however often it is read", () => {
    const read = kind.read(stored)
    assert.strictEqual(kind.read({ ...stored }), read)
  })

  it("answers what is as it was read, also where the row was forgotten meanwhile", () => {
    const read = kind.read(stored)
    const anew = kindOf((thing) => thing.status).read({ ...stored })
    assert.notStrictEqual(anew, read)
    assert.isTrue(Kind.isAsRead(anew, read))
    assert.isFalse(Kind.isAsRead({ ...anew, version: 2 }, read))
    assert.isFalse(Kind.isAsRead({ ...anew, value: { ...anew.value, note: "other" } }, read))
  })

  it("answers another value as soon as anything of the row is another", () => {
    const { value } = kind.read(stored)
    const others = [
      { version: 2 },
      { status: "closed" },
      { amount: 6n as Centavos },
      { ref: "m" },
      { document: JSON.stringify({ note: "other" }) }
    ]
    for (const other of others) {
      assert.notStrictEqual(kind.read({ ...stored, ...other }).value, value)
      assert.deepStrictEqual(kind.read(stored).value, value)
    }
    assert.strictEqual(kind.read({ ...stored, version: 2 }).version, 2)
  })
})
