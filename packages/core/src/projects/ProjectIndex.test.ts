import { assert, describe, it } from "@effect/vitest"
import type { AccountId, ProjectId, Uuid, WalletId } from "../kernel/Ids.ts"
import { instantOf } from "../kernel/Ids.ts"
import { foldedName, Project, ProjectKind } from "./Project.ts"
import type { ProjectQuery } from "./ProjectIndex.ts"
import { indexParts, pageOf, partOf, ProjectIndex, withProject } from "./ProjectIndex.ts"

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
      const longest = growing.repeat(255).slice(0, 255)
      assert.isBelow(Buffer.byteLength(foldedName(longest)), 2_600)
    }
  })
})

describe("pageOf", () => {
  const names = ["beta", "Alfa", "gama", "Ómega", "delta"]
  const entries = names.map((name, n) => ({ id: id(n), name }))
  const all: ProjectQuery = { page: 1, limit: 100, sortBy: "createdAt", sortOrder: "asc" }
  const show = (query: Partial<ProjectQuery>) =>
    pageOf(entries, { ...all, ...query }).map((found) => names[Number(found.slice(-3))])

  it("goes by the time of making, and so do changes: there are none", () => {
    assert.deepStrictEqual(show({}), names)
    assert.deepStrictEqual(show({ sortOrder: "desc" }), names.toReversed())
    assert.deepStrictEqual(show({ sortBy: "updatedAt" }), names)
  })

  it("goes by folded names in code units", () => {
    const sorted = ["Alfa", "beta", "delta", "gama", "Ómega"]
    assert.deepStrictEqual(show({ sortBy: "name" }), sorted)
    assert.deepStrictEqual(show({ sortBy: "name", sortOrder: "desc" }), sorted.toReversed())
  })

  it("shows every project once over its pages, in either order", () => {
    for (const sortOrder of ["asc", "desc"] as const) {
      for (const sortBy of ["createdAt", "name"] as const) {
        const pages = [1, 2, 3].map((page) => show({ page, limit: 2, sortBy, sortOrder }))
        assert.deepStrictEqual(
          pages.map(({ length }) => length),
          [2, 2, 1]
        )
        assert.deepStrictEqual(pages.flat(), show({ sortBy, sortOrder }))
      }
    }
    assert.deepStrictEqual(show({ page: 4, limit: 2 }), [])
  })
})

describe("the parts of the index", () => {
  it("are as many as their number says, and a project is in one for ever", () => {
    const hex = (n: number) => n.toString(16).padStart(2, "0")
    const ids = Array.from({ length: 256 }, (_, n) => `${id(1).slice(0, -2)}${hex(n)}` as ProjectId)
    const counts = Map.groupBy(ids, partOf)
    assert.strictEqual(counts.size, indexParts)
    for (const [part, of] of counts) {
      assert.isTrue(Number.isInteger(part) && part >= 0 && part < indexParts)
      assert.strictEqual(of.length, 256 / indexParts)
    }
  })

  it("take a project at their end", () => {
    const index = new ProjectIndex({ id: id(0), account: wallet, wallet, projects: [] })
    const longer = withProject(withProject(index, project(2, "b")), project(1, "a"))
    assert.deepStrictEqual(longer.projects, [
      { id: id(2), name: "b" },
      { id: id(1), name: "a" }
    ])
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
