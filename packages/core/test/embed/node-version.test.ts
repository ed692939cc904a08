import { assert, it } from "@effect/vitest"
import { memory, Pagora } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { onTestFinished, vi } from "vitest"
import { refusalOf } from "../world/Embedding.test-data.ts"

const startOn = (node: string) => {
  const { versions } = process
  vi.stubGlobal("process", Object.create(process, { versions: { value: { ...versions, node } } }))
  onTestFinished(() => void vi.unstubAllGlobals())
  return Pagora.start({ storage: memory(), psp: sandbox() })
}

it.each(["18.20.8", "20.20.2", "22.18.0"])("Node %s is refused, in one sentence", async (node) => {
  const error = await refusalOf(startOn(node))
  assert.deepStrictEqual(
    [error.code, error.message],
    [
      "CANNOT_START",
      `Pagora needs Node.js 22.19 or newer (24 is best), and this is ${node}: start your program with a newer one.`
    ]
  )
})

it.each(["22.19.0", "23.0.0", "26.1.0"])("Node %s is taken", async (node) => {
  const pagora = await startOn(node)
  await pagora.stop()
})
