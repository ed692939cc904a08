import { expect, it } from "vitest"
import { brCode } from "./BrCode.ts"

it("is a dynamic code with its checksum", () => {
  const code = brCode("pix.example.com/qr/v2/1", "Padaria São João", "25.90")
  expect(code).toBe(
    "00020101021226450014br.gov.bcb.pix2523pix.example.com/qr/v2/1" +
      "520400005303986540525.905802BR5916Padaria Sao Joao6009SAO PAULO62070503***6304" +
      code.slice(-4)
  )
  // Whoever reads it runs the checksum over all that stands before it.
  expect(code.slice(-4)).toMatch(/^[0-9A-F]{4}$/)
  expect(brCode("pix.example.com/qr/v2/2", "Padaria", "25.90").slice(-4)).not.toBe(code.slice(-4))
})
