import { crc32 } from "node:zlib"
import { Effect, Layer } from "effect"
import encodeQR from "qr"
import { QrCode } from "../charges/QrCode.ts"
import { modulePixels, qrStripe } from "./QrStripe.ts"

/** Modules of white around the code (ISO/IEC 18004). */
const quietZone = 4

/**
 * Draws with the `qr` package's matrix and writes the PNG itself: one bit a pixel, one compressed stripe. The
 * picture packages in use take many times as long for the same picture (docs/decisions/0007-qr-code.md).
 */
export const layer: Layer.Layer<QrCode> = Layer.succeed(QrCode, {
  png: (text) =>
    Effect.sync(() =>
      pngOf(encodeQR(text, "raw", { ecc: "medium", border: quietZone })).toString("base64")
    )
})

const pngOf = (modules: ReadonlyArray<ReadonlyArray<boolean>>): Buffer => {
  const width = modules.length * modulePixels
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(width, 4)
  // One bit a pixel, grey scale; no filter method, no interlace.
  header[8] = 1
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", qrStripe(modules)),
    chunk("IEND", Buffer.alloc(0))
  ])
}

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
