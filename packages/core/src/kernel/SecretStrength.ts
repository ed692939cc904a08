/**
 * A master secret must be this hard to guess: whoever has one token may try secrets against it as fast as machines go
 * (decision 0084).
 */
export const secretBitsMin = 128

/** What people write where a secret should stand. In small letters. */
const words =
  /changeme|change|replace|password|passw0rd|passwort|senha|segredo|secret|master|pagora|admin|default|example|production|development|staging|sandbox|localhost|letmein|welcome|qwerty|asdfgh|please|insert|dummy|foobar|test|demo|token|value|your|here|this|todo/iy

/** A stretch that says nothing new is worth so many bits: which one it is, and how long. */
const stretchBits = 8
/** Letters of a language, in words: far less than chance has. */
const phraseBits = 2.6
/** Shorter ones come about by chance. */
const repeatMin = 5
const sequenceMin = 5

/**
 * How hard a secret is to guess, in bits, estimated from above: what was there before, letters and digits in their order,
 * and words that people use for secrets count 8 bits each, everything else what its alphabet has; a text of words 2.6 bits
 * a letter. Random texts keep all of theirs: 32 hex digits are 128 bits, 44 characters of base64 more than 256.
 */
export const secretBits = (text: string): number => {
  const isPhrase =
    /^(?:[A-Z]?[a-z]+|[A-Z]+)(?:[^A-Za-z0-9]+(?:[A-Z]?[a-z]+|[A-Z]+))*[^A-Za-z0-9]*$/.test(text)
  const perCharacter = isPhrase ? phraseBits : Math.log2(alphabetOf(text))
  let bits = 0
  for (let at = 0; at < text.length;) {
    const known = Math.max(
      repeatedAt(text, at),
      sequenceAt(text, at),
      isPhrase ? 0 : wordAt(text, at)
    )
    bits += known === 0 ? perCharacter : Math.min(stretchBits, known * perCharacter)
    at += Math.max(known, 1)
  }
  return bits
}

/** How many characters there are to choose from, by the kinds that were chosen, and no more than were seen twice over. */
const alphabetOf = (text: string): number => {
  const kinds: ReadonlyArray<readonly [RegExp, number]> = /^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text)
    ? [
        [/[a-fA-F]/, 6],
        [/[0-9]/, 10]
      ]
    : [
        [/[a-z]/, 26],
        [/[A-Z]/, 26],
        [/[0-9]/, 10],
        [/[^A-Za-z0-9]/, 32]
      ]
  const all = kinds.reduce((sum, [kind, size]) => (kind.test(text) ? sum + size : sum), 0)
  return Math.max(1, Math.min(all, 2 * new Set(text).size))
}

/** The longest stretch from here that stood in the text before, itself included as it goes on: `aaaaa`, `abcabcabc`. */
const repeatedAt = (text: string, at: number): number => {
  let longest = 0
  for (let from = 0; from < at; from++) {
    let length = 0
    while (at + length < text.length && text[from + length] === text[at + length]) length++
    longest = Math.max(longest, length)
  }
  return longest >= repeatMin ? longest : 0
}

/** Characters that follow each other in their order, up or down: `12345`, `edcba`. */
const sequenceAt = (text: string, at: number): number => {
  const step = text.charCodeAt(at + 1) - text.charCodeAt(at)
  if (Math.abs(step) !== 1) return 0
  let length = 2
  while (text.charCodeAt(at + length) - text.charCodeAt(at + length - 1) === step) length++
  return length >= sequenceMin ? length : 0
}

const wordAt = (text: string, at: number): number => {
  words.lastIndex = at
  return words.exec(text)?.[0].length ?? 0
}
