/**
 * A cheap keyed checksum of 16 hexadecimal digits. It stands for the signature of a real bank: in a simulated world nobody can
 * make one who does not have the key, because nobody tries. Outside of one it proves nothing.
 */
export const seal = (key: string, bytes: Uint8Array): string => {
  let high = fnvStart
  let low = fnvStart ^ 0x5bd1e995
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i)
    high = Math.imul(high ^ code, fnvPrime)
    low = Math.imul(low ^ code, mixPrime)
  }
  for (const byte of bytes) {
    high = Math.imul(high ^ byte, fnvPrime)
    low = Math.imul(low ^ byte, mixPrime)
  }
  return hex(high) + hex(low)
}

// FNV-1a of 32 bits, and the same with another odd factor: a change of one byte changes both.
const fnvStart = 0x811c9dc5
const fnvPrime = 0x01000193
const mixPrime = 0x5bd1e995

const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, "0")
