import { crc32, deflateSync } from "node:zlib"
import { Effect, Layer } from "effect"
import encodeQR from "qr"
import { QrCode } from "../ports/QrCode.ts"

/** Pixels a module, so that a code of a charge is at least 300 pixels wide. */
const modulePixels = 6
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
    chunk("IDAT", deflateSync(pixelsOf(modules, width), compression)),
    chunk("IEND", Buffer.alloc(0))
  ])
}

/** Lines repeat within a few hundred bytes and the result is about 1,300: with zlib's own sizes each code takes 280 kB. */
const compression = { level: 1, windowBits: 13, memLevel: 6, chunkSize: 4096 }

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Filters of PNG: a line as it is, and what is different from the line above (PNG, 9.2). */
const [asItIs, asAbove] = [0, 2]
const whiteModule = (1 << modulePixels) - 1

/**
 * Lines of packed pixels, each with its filter byte in front; a set bit is white. The first line of a module is written,
 * and the others are as the one above: nothing of them has to be packed, and little compressed.
 */
const pixelsOf = (modules: ReadonlyArray<ReadonlyArray<boolean>>, width: number): Buffer => {
  const lineBytes = 1 + Math.ceil(width / 8)
  const pixels = Buffer.alloc(lineBytes * width)
  let line = 0
  for (const row of modules) {
    let at = line * lineBytes
    pixels[at++] = asItIs
    let [bits, count] = [0, 0]
    for (const isDark of row) {
      bits = (bits << modulePixels) | (isDark ? 0 : whiteModule)
      for (count += modulePixels; count >= 8; bits &= (1 << count) - 1) {
        count -= 8
        pixels[at++] = bits >> count
      }
    }
    if (count > 0) pixels[at] = bits << (8 - count)
    for (const end = ++line + modulePixels - 1; line < end; line++)
      pixels[line * lineBytes] = asAbove
  }
  return pixels
}

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
