import { expect, it } from "vitest"
import officialFile from "./api-pix-2.9.0.json" with { type: "json" }
import { knownDefects, mended } from "./KnownDefects.ts"

it("each known defect is in the file, and in no mended one", () => {
  const { file, found } = mended(officialFile)
  expect(found).toEqual(knownDefects.map(() => true))
  expect(mended(file).found).toEqual(knownDefects.map(() => false))
})
