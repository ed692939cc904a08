import { inflateSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import encodeQR from "qr"
import decodeQR from "qr/decode.js"
import { QrCode } from "../ports/QrCode.ts"
import { layer } from "./QrCodeNode.ts"

const code =
  "00020101021226700014br.gov.bcb.pix2548pix.example.com/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***630464E4"

const chunksOf = (png: Buffer): ReadonlyMap<string, Buffer> => {
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.set(png.toString("latin1", at + 4, at + 8), png.subarray(at + 8, at + 8 + length))
    at += 12 + length
  }
  return chunks
}

/** Undoes the filters that a line can have here: none, and "up" (PNG, 9.2). */
const unfiltered = (lines: Buffer, lineBytes: number): Buffer => {
  for (let at = 0; at < lines.length; at += lineBytes) {
    const filter = lines[at]
    if (filter === 0) continue
    assert.strictEqual(filter, 2)
    for (let byte = at + 1; byte < at + lineBytes; byte++)
      lines[byte] = (lines[byte] ?? 0) + (lines[byte - lineBytes] ?? 0)
  }
  return lines
}

const draw = (text: string) =>
  QrCode.use((qr) => qr.png(text)).pipe(
    Effect.provide(layer),
    Effect.map((png) => Buffer.from(png, "base64"))
  )

/** What a decoder reads in it, and how wide it is. */
const read = (png: Buffer) => {
  const chunks = chunksOf(png)
  const header = chunks.get("IHDR") ?? Buffer.alloc(0)
  const width = header.readUInt32BE(0)
  assert.strictEqual(header.readUInt32BE(4), width)
  const lineBytes = 1 + Math.ceil(width / 8)
  const lines = unfiltered(inflateSync(chunks.get("IDAT") ?? Buffer.alloc(0)), lineBytes)
  assert.strictEqual(lines.length, lineBytes * width)
  const rgb = new Uint8Array(width * width * 3)
  for (let y = 0; y < width; y++) {
    for (let x = 0; x < width; x++) {
      const bit = ((lines[y * lineBytes + 1 + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1
      rgb.fill(bit * 255, (y * width + x) * 3, (y * width + x) * 3 + 3)
    }
  }
  return { width, text: decodeQR({ width, height: width, data: rgb }) }
}

it.effect("the picture, read back pixel by pixel, says what was drawn", () =>
  Effect.gen(function* () {
    const { text, width } = read(yield* draw(code))
    assert.isAtLeast(width, 300)
    assert.strictEqual(text, code)
  })
)

it.effect("so does one of any size", () =>
  Effect.gen(function* () {
    for (const length of [1, 40, 160, 320, 512, 900, 1_400, 2_300]) {
      const text = code.repeat(Math.ceil(length / code.length)).slice(0, length)
      assert.strictEqual(read(yield* draw(text)).text, text, `${length} letters`)
    }
  })
)

it.effect("a darker module stands where the matrix has one", () =>
  Effect.gen(function* () {
    const other = yield* draw(`${code}x`)
    assert.notDeepEqual(other, yield* draw(code))
    assert.isTrue(encodeQR(code, "raw").length > 21)
  })
)
