import type { PrefixCode } from "./DeflateCode.ts"
import { distances, endOfBlock, firstCopy, head, symbols } from "./DeflateCode.ts"

/** Pixels a module, so that a code of a charge is at least 300 pixels wide. */
export const modulePixels = 6

/** Filters of PNG: a line as it is, and what is different from the line above (PNG, 9.2). */
const [asItIs, asAbove] = [0, 2]

/**
 * The pixels of a QR code as the stripe of a PNG, compressed: one bit a pixel, white is set. Of the lines of a row of
 * modules the first is written out, and the others are as the one above: copies of those of the row before.
 *
 * The zlib of Node is not asked. Each use of it has a handle that V8 keeps until its old heap is collected, with its
 * buffers, and takes longer (docs/decisions/0106-memory-of-a-host.md).
 */
export const qrStripe = (modules: ReadonlyArray<ReadonlyArray<boolean>>): Buffer => {
  const lineBytes = 1 + Math.ceil((modules.length * modulePixels) / 8)
  const stripe = new Stripe(headBytesMax + modules.length * (lineBytes / 2 + copiesBytesMax))
  for (const [at, row] of modules.entries()) {
    putRow(stripe, row, lineBytes)
    if (at === 0) {
      stripe.put(asAbove)
      for (let byte = 1; byte < lineBytes; byte++) stripe.put(0)
      stripe.copyLines(modulePixels - 2, lineBytes, lineBytes)
    } else {
      stripe.copyLines(modulePixels - 1, lineBytes, modulePixels * lineBytes)
    }
  }
  return stripe.end()
}

const putRow = (stripe: Stripe, row: ReadonlyArray<boolean>, lineBytes: number): void => {
  stripe.put(asItIs)
  for (let x = 0, left = lineBytes - 1; left > 0; x += 4, left -= 3) {
    const pixels = fourModules(row, x)
    stripe.put(pixels >> 16)
    if (left > 1) stripe.put((pixels >> 8) & 255)
    if (left > 2) stripe.put(pixels & 255)
  }
}

const whiteModule = (1 << modulePixels) - 1

/** Three bytes; what is beyond the end is black, where nobody looks. */
const fourModules = (row: ReadonlyArray<boolean>, x: number): number => {
  let pixels = 0
  for (let module = x; module < x + 4; module++)
    pixels = (pixels << modulePixels) | (row[module] === false ? whiteModule : 0)
  return pixels
}

const headBytesMax = 256
/** A byte of a line has four bits at most, and copies of up to five lines come to that. */
const copiesBytesMax = 24
/** A copy has 258 bytes at most, and the longest length has a form of its own. */
const copyMax = 257

class Stripe {
  private readonly bytes: Buffer
  private at = 0
  private held = 0
  private heldBits = 0
  /** Both sums of Adler-32 (RFC 1950, 8.2); a picture is too small for them to leave what is exact. */
  private sum = 1
  private sums = 0

  constructor(bytesMax: number) {
    this.bytes = Buffer.allocUnsafe(Math.ceil(bytesMax))
    for (const [value, bits] of head) this.bits(value, bits)
  }

  put(byte: number): void {
    this.symbol(symbols, byte)
    this.sum += byte
    this.sums += this.sum
  }

  /** Lines that are as the ones above, which stand so many bytes before. */
  copyLines(lines: number, lineBytes: number, distance: number): void {
    const linesMax = Math.floor(copyMax / lineBytes)
    for (let left = lines; left > 0; left -= linesMax) {
      this.scaled(symbols, firstCopy, Math.min(left, linesMax) * lineBytes - 3, 2)
      this.scaled(distances, 0, distance - 1, 1)
    }
    for (let line = 0; line < lines; line++) {
      this.sum += asAbove
      this.sums += this.sum * lineBytes
    }
  }

  end(): Buffer {
    this.symbol(symbols, endOfBlock)
    this.bits(0, -this.heldBits & 7)
    this.at = this.bytes.writeUInt16BE(this.sums % adlerBase, this.at)
    this.at = this.bytes.writeUInt16BE(this.sum % adlerBase, this.at)
    return this.bytes.subarray(0, this.at)
  }

  /** Lengths and distances: a symbol tells the upper bits and how many there are, `kept` of them exactly, and the rest follows. */
  private scaled(code: PrefixCode, first: number, value: number, kept: number): void {
    const rest = Math.max(0, 31 - Math.clz32(value) - kept)
    this.symbol(code, first + (rest << kept) + (value >> rest))
    this.bits(value & ((1 << rest) - 1), rest)
  }

  private symbol({ sizes, written }: PrefixCode, symbol: number): void {
    this.bits(written[symbol] ?? 0, sizes[symbol] ?? 0)
  }

  private bits(value: number, count: number): void {
    this.held |= value << this.heldBits
    this.heldBits += count
    for (; this.heldBits >= 8; this.heldBits -= 8) {
      this.bytes[this.at++] = this.held & 255
      this.held >>>= 8
    }
  }
}

const adlerBase = 65_521
