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

/** Lines of packed pixels, each with its filter byte in front; a set bit is white. */
const pixelsOf = (modules: ReadonlyArray<ReadonlyArray<boolean>>, width: number): Buffer => {
  const lineBytes = 1 + Math.ceil(width / 8)
  const pixels = Buffer.alloc(lineBytes * width)
  for (const [row, line] of modules.entries()) {
    const packed = Buffer.alloc(lineBytes)
    for (const [column, isDark] of line.entries()) {
      if (isDark) continue
      for (let x = column * modulePixels; x < (column + 1) * modulePixels; x++) {
        const index = 1 + (x >> 3)
        packed[index] = (packed[index] ?? 0) | (0x80 >> (x & 7))
      }
    }
    for (let y = row * modulePixels; y < (row + 1) * modulePixels; y++)
      packed.copy(pixels, y * lineBytes)
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
