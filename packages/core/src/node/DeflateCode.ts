/** A prefix code, as deflate tells it: how many bits each symbol has tells which they are (RFC 1951, 3.2.2). */
export interface PrefixCode {
  /** Bits of each symbol; 0 for one that never comes. */
  readonly sizes: ReadonlyArray<number>
  /** What is written for it, lowest bit first. */
  readonly written: ReadonlyArray<number>
}

const sizeMax = 8

const codeOf = (sizes: ReadonlyArray<number>): PrefixCode => {
  const written = sizes.map(() => 0)
  let code = 0
  for (let size = 1; size <= sizeMax; size++) {
    code <<= 1
    for (const [symbol, own] of sizes.entries())
      if (own === size) written[symbol] = reversed(code++, size)
  }
  return { sizes, written }
}

const reversed = (code: number, size: number): number => {
  let result = 0
  for (let bit = 0; bit < size; bit++) result |= ((code >> bit) & 1) << (size - 1 - bit)
  return result
}

/** Of these symbols each has so many bits. */
const sized = (count: number, bits: ReadonlyMap<number, number>): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, symbol) => bits.get(symbol) ?? 0)

export const endOfBlock = 256
/** The shortest copy, of three bytes; all others come after it. */
export const firstCopy = 257

/**
 * Bytes, the end, and lengths of copies. Six pixels a module and one bit a pixel make eight bytes and no others; half of
 * them are all white or all black. 2 is the filter of a line, which is written out once.
 */
export const symbols: PrefixCode = codeOf(
  sized(
    286,
    new Map([
      ...[0x00, 0xff].map((byte) => [byte, 2] as const),
      ...[0x03, 0x0f, 0x3f, 0xc0, 0xf0, 0xfc].map((byte) => [byte, 4] as const),
      [2, 7],
      ...Array.from({ length: 30 }, (_, at) => [endOfBlock + at, 8] as const)
    ])
  )
)

/** How far copies reach back: any of them. */
export const distances: PrefixCode = codeOf(
  Array.from({ length: 30 }, (_, symbol) => (symbol < 2 ? 4 : 5))
)

/** By it the sizes of the other two are told, of which most are 0. */
const told: PrefixCode = codeOf(
  sized(
    19,
    new Map([
      [0, 1],
      [8, 2],
      [5, 3],
      [4, 4],
      [2, 5],
      [7, 5]
    ])
  )
)

/** The order in which its own sizes are told (RFC 1951, 3.2.7), up to the last that is there. */
const toldOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2]

/** A header is values, and the bits that each of them has. */
const [zlib, zlibBits] = [0x0178, 16]
const [lastBlock, ownCodes] = [1, 2]

/** What comes before the first symbol: the header of zlib (RFC 1950), and that of a block with these codes. */
export const head: ReadonlyArray<readonly [value: number, bits: number]> = [
  [zlib, zlibBits],
  [lastBlock, 1],
  [ownCodes, 2],
  [symbols.sizes.length - 257, 5],
  [distances.sizes.length - 1, 5],
  [toldOrder.length - 4, 4],
  ...toldOrder.map((size) => [told.sizes[size] ?? 0, 3] as const),
  ...[...symbols.sizes, ...distances.sizes].map(
    (size) => [told.written[size] ?? 0, told.sizes[size] ?? 0] as const
  )
]
