import { assert, describe, it } from "@effect/vitest"
import type { AccountId, ProjectId, Uuid, WalletId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import { foldedName, Project, ProjectKind } from "./Project.ts"

const id = (n: number) =>
  `019a2b3c-0000-7000-8000-${String(n).padStart(12, "0")}` as ProjectId & Uuid
const wallet = id(999) as Uuid as WalletId & AccountId

const project = (n: number, name: string) =>
  new Project({ id: id(n), account: wallet, wallet, name, createdAt: instantOf(id(n)) })

describe("foldedName", () => {
  const same: ReadonlyArray<readonly [string, string, string]> = [
    ["letters of either case", "Loja Azul", "lOJA aZUL"],
    ["letters with an accent", "AÇAÍ", "açaí"],
    ["accents composed and apart", "a\u00e7a\u00ed", "ac\u0327ai\u0301"],
    ["a sharp s and its capital", "Straße", "STRAẞE"],
    ["a sharp s and two", "Straße", "STRASSE"],
    ["sigmas in the middle and at the end", "ΟΔΟΣ", "οδος"],
    ["the sign of kelvin and its letter", "\u212A", "k"]
  ]
  for (const [name, left, right] of same) {
    it(`is the same for ${name}`, () => assert.strictEqual(foldedName(left), foldedName(right)))
  }

  it("keeps apart what is another letter or another space", () => {
    const names = ["acai", "açai", "açaí", "a cai", "a  cai"]
    assert.strictEqual(new Set(names.map(foldedName)).size, names.length)
  })

  it("of the longest name fits into an index of PostgreSQL, whatever it grows to", () => {
    for (const growing of ["\u0390", "\uFB03", "\u{1D160}", "\u1FB7", "\u{10FFFF}"]) {
      assert.isAtMost(Buffer.byteLength(foldedName(growing.repeat(255))), 2_600)
    }
  })
})

describe("ProjectKind", () => {
  it("keeps name and time in the columns, and brings them back", () => {
    const value = new Project({ ...project(7, "Loja Azul"), color: "#1A2b3C" })
    const row = ProjectKind.row(value)
    assert.deepStrictEqual(JSON.parse(row.document), { color: "#1A2b3C" })
    assert.deepStrictEqual(ProjectKind.read({ ...row, version: 1 }).value, value)
    assert.deepStrictEqual(ProjectKind.fromSnapshot(ProjectKind.snapshot(value)), value)
  })
})
