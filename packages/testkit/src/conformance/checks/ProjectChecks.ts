import type { Check } from "../Check.ts"
import { expectEqual, expectFields, expectShape, expectStatus, listAt, textAt } from "../Expect.ts"
import { expectRefused, expectTaken } from "../Refusals.ts"
import { projectShape, projectsShape } from "../SpecShapes.ts"
import { charged, transactionIn, withdrawn } from "../Steps.ts"
import { at } from "../Wire.ts"
import type { Answer } from "../Wire.ts"
import type { Caller } from "../World.ts"

const created = async (shop: Caller, name: string): Promise<string> =>
  textAt(expectStatus(await shop.call("POST", "/projects", { body: { name } }), 201), "id")

const namesOf = (answer: Answer) => listAt(answer, "items").map((item) => at(item, "name"))

const listed = async (shop: Caller, query: string): Promise<Answer> =>
  expectShape(await shop.call("GET", `/projects${query}`), 200, projectsShape)

export const projectChecks: ReadonlyArray<Check> = [
  {
    rules: [
      "S-008",
      "S-109",
      "S-110",
      "S-112",
      "S-113",
      "S-114",
      "S-115",
      "S-116",
      "S-187",
      "S-322"
    ],
    title: "POST /projects takes a name alone or every field, and answers 201 with the project",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const bodies = [
        { name: "Só o nome" },
        {
          name: "Inteiro",
          color: "#1a2B3C",
          description: "Um projeto",
          logoUrl: "https://example.com/logo.png"
        },
        { name: "N".repeat(255) },
        { name: "😀".repeat(255), logoUrl: "http://example.com/logo.png" }
      ]
      for (const body of bodies) {
        const answer = await shop.call("POST", "/projects", { body })
        expectFields(expectShape(answer, 201, projectShape), body)
      }
    }
  },
  {
    rules: ["S-110", "S-112", "S-116", "S-214", "S-305", "S-322"],
    title: "POST /projects refuses what is not a project with 400",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const wrong = [
        {},
        { name: "" },
        { name: "N".repeat(256) },
        { name: "😀".repeat(256) },
        { name: 7 },
        { name: null },
        { color: "#000000" },
        { name: "a", color: "red" },
        { name: "a", color: "#12345" },
        { name: "a", color: "#12345G" },
        { name: "a", color: "#1234567" },
        { name: "a", color: "#123456\n" },
        { name: "a", description: 7 },
        { name: "a", logoUrl: "not a URL" }
      ]
      for (const body of wrong) {
        expectRefused(await shop.call("POST", "/projects", { body }), 400)
      }
      expectFields(await listed(shop, ""), { total: 0, items: [] })
    }
  },
  {
    rules: ["S-111", "S-214", "S-311"],
    title: "POST /projects with a name that is there is 409, in this account only",
    run: async ({ tenant }) => {
      const [shop, other] = await Promise.all([tenant(), tenant()])
      await created(shop, "Loja")
      const again = await shop.call("POST", "/projects", { body: { name: "Loja" } })
      expectTaken(again, "name", "Loja")
      await created(other, "Loja")
      expectFields(await listed(shop, ""), { total: 1 })
    }
  },
  {
    rules: ["S-008", "S-188", "S-189", "S-190", "S-191"],
    title: "GET /projects pages and sorts by createdAt, updatedAt and name, both ways",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const names = ["Delta", "Alfa", "Echo", "Bravo", "Charlie"]
      for (const name of names) await created(shop, name)
      const sorted = names.toSorted()
      const orders = {
        "sortBy=name&sortOrder=asc": sorted,
        "sortBy=name&sortOrder=desc": sorted.toReversed(),
        "sortBy=createdAt&sortOrder=asc": names,
        "sortBy=createdAt&sortOrder=desc": names.toReversed(),
        "sortBy=updatedAt&sortOrder=asc": names,
        "sortBy=updatedAt&sortOrder=desc": names.toReversed()
      }
      for (const [query, expected] of Object.entries(orders)) {
        const whole = await listed(shop, `?${query}`)
        expectEqual(query, namesOf(whole), expected, whole)
        const page = await listed(shop, `?${query}&page=2&limit=2`)
        expectEqual(`${query}, page 2`, namesOf(page), expected.slice(2, 4), page)
        expectFields(page, { total: 5, page: 2, limit: 2, totalPages: 3 })
      }
      expectFields(await listed(shop, "?page=9&limit=2"), { items: [], total: 5, page: 9 })
    }
  },
  {
    rules: ["S-189", "S-190", "S-220", "S-324"],
    title: "GET /projects takes pages from 1 of 1 to 100 items, and refuses others with 400",
    run: async ({ api, tenant }) => {
      const shop = await tenant()
      for (const query of ["?limit=1", "?limit=100", "?page=1"]) await listed(shop, query)
      const wrong = [
        "?page=0",
        "?page=-1",
        "?page=1.5",
        "?page=x",
        "?limit=0",
        "?limit=101",
        "?limit=x",
        "?sortBy=color",
        "?sortOrder=up"
      ]
      for (const query of wrong) {
        expectRefused(await shop.call("GET", `/projects${query}`), 400)
      }
      expectRefused(await api("GET", "/projects"), 401)
    }
  },
  {
    rules: ["S-033", "S-057"],
    title: "a charge carries the projectId that it was created with",
    run: async ({ tenant }) => {
      const shop = await tenant()
      const projectId = await created(shop, "Loja")
      for (const given of [projectId, projectId.toUpperCase()]) {
        const id = textAt(await charged(shop, { projectId: given }), "id")
        expectFields(await transactionIn(shop, id, "pending"), { projectId })
      }
      const other = textAt(await charged(shop), "id")
      expectFields(await transactionIn(shop, other, "pending"), { projectId: undefined })
    }
  },
  {
    rules: ["S-033", "S-083", "S-084", "S-100"],
    title: "a withdrawal inherits the account's only project, and none of several",
    run: async ({ tenant }) => {
      const shop = await tenant({ balance: 100 })
      expectFields(await withdrawn(shop), { projectId: undefined })
      const projectId = await created(shop, "Loja")
      const inherited = await withdrawn(shop)
      expectFields(inherited, { projectId })
      const found = await shop.call("GET", `/transactions/${textAt(inherited, "id")}`)
      expectFields(expectStatus(found, 200), { projectId })
      const second = await created(shop, "Filial")
      expectFields(await withdrawn(shop), { projectId: undefined })
      expectFields(await withdrawn(shop, { projectId: second }), { projectId: second })
    }
  }
]
