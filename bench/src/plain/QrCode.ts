import encodeQR from "qr"
import { crc32, deflateSync } from "node:zlib"

/** Pixels a module, and modules of white around the code, as @pagora/core draws it. */
const modulePixels = 6
const quietZone = 4

/**
 * The same work as that of @pagora/core: `qr` for the modules, one bit a pixel, one compressed stripe. Written out, because
 * to import core would count its memory as the plain service's.
 */
export const qrPng = (text: string): string => {
  const modules = encodeQR(text, "raw", { ecc: "medium", border: quietZone })
  const width = modules.length * modulePixels
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(width, 4)
  // One bit a pixel, grey scale; no filter method, no interlace.
  header[8] = 1
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixelsOf(modules, width), { level: 1 })),
    chunk("IEND", Buffer.alloc(0))
  ]).toString("base64")
}

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
