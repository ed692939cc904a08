import { createHmac, createPublicKey, createSign, generateKeyPairSync } from "node:crypto"

/** A good token in its parts, the claims it carries, and the key that signed it. */
export interface Genuine {
  readonly token: string
  readonly kid: string
  readonly claims: Readonly<Record<string, unknown>>
  readonly key: Uint8Array
}

const base64url = (value: string | Uint8Array): string => Buffer.from(value).toString("base64url")
const json = (value: unknown): string => base64url(JSON.stringify(value))

/** Every trick that we know against a verifier of tokens; each name says what is false about the token. */
export const tricks = (genuine: Genuine): ReadonlyArray<Trick> => {
  const forger = forgerOf(genuine)
  return [
    ...signatureTricks(forger),
    ...algorithmTricks(forger),
    ...headerTricks(forger),
    ...claimTricks(forger),
    ...timeTricks(forger),
    ...textTricks(forger)
  ]
}

type Trick = readonly [name: string, token: string]
type Forger = ReturnType<typeof forgerOf>

const forgerOf = (genuine: Genuine) => {
  const [header = "", payload = "", signature = ""] = genuine.token.split(".")
  const headerOf = (changes: object) => ({
    alg: "HS256",
    kid: genuine.kid,
    typ: "at+jwt",
    ...changes
  })
  const sign = (first: string, second: string, algorithm = "sha256") =>
    `${first}.${second}.${createHmac(algorithm, genuine.key).update(`${first}.${second}`).digest("base64url")}`
  const withText = (change: (text: string) => string) =>
    sign(header, base64url(change(JSON.stringify(genuine.claims))))
  return {
    genuine,
    header,
    payload,
    signature,
    headerOf,
    sign,
    /** Signed by our own key: only the header is wrong. */
    withHeader: (changes: object) => sign(json(headerOf(changes)), payload),
    /** Signed by our own key: only the claims are wrong. */
    withClaims: (changes: object) => sign(header, json({ ...genuine.claims, ...changes })),
    withText,
    /** The claims with another `exp`, as it is written here. */
    withExp: (exp: string) => withText((text) => text.replace(/"exp":\d+/, exp)),
    without: (name: string) =>
      sign(
        header,
        json(Object.fromEntries(Object.entries(genuine.claims).filter(([key]) => key !== name)))
      )
  }
}

/** No signature, or not a whole one. */
const signatureTricks = ({
  header,
  payload,
  signature,
  headerOf,
  withHeader
}: Forger): ReadonlyArray<Trick> => [
  ["alg none, unsigned", `${json(headerOf({ alg: "none" }))}.${payload}.`],
  ["alg None, unsigned", `${json(headerOf({ alg: "None" }))}.${payload}.`],
  ["alg NONE, unsigned", `${json(headerOf({ alg: "NONE" }))}.${payload}.`],
  ["alg nOnE, old signature", `${json(headerOf({ alg: "nOnE" }))}.${payload}.${signature}`],
  ["alg none, signed", withHeader({ alg: "none" })],
  ["signature removed", `${header}.${payload}.`],
  ["signature and its dot removed", `${header}.${payload}`],
  ["signature of zeros", `${header}.${payload}.${base64url(new Uint8Array(32))}`],
  ["signature cut short", `${header}.${payload}.${signature.slice(0, 42)}`],
  ["signature cut to half", `${header}.${payload}.${signature.slice(0, 22)}`],
  ["signature with a byte more", `${header}.${payload}.${signature}AA`]
]

/** Another algorithm than ours. */
const algorithmTricks = ({
  genuine,
  header,
  payload,
  headerOf,
  sign,
  withHeader
}: Forger): ReadonlyArray<Trick> => [
  ["alg HS384", sign(json(headerOf({ alg: "HS384" })), payload, "sha384")],
  ["alg HS512", sign(json(headerOf({ alg: "HS512" })), payload, "sha512")],
  ["alg hs256", withHeader({ alg: "hs256" })],
  ["alg missing", sign(json({ kid: genuine.kid, typ: "at+jwt" }), payload)],
  ["alg as a list", withHeader({ alg: ["HS256"] })],
  ["alg null", withHeader({ alg: null })],
  [
    "alg RS256, signed by a pair of theirs",
    signedByTheirs(json(headerOf({ alg: "RS256" })), payload, "rsa")
  ],
  [
    "alg ES256, signed by a pair of theirs",
    signedByTheirs(json(headerOf({ alg: "ES256" })), payload, "ec")
  ],
  ["HS256 keyed with a public key", keyedWithPublicKey(header, payload)],
  ["HS256 keyed with nothing", keyedWith(header, payload, "")],
  ["HS256 keyed with the key id", keyedWith(header, payload, genuine.kid)]
]

/** Headers that choose the key, or anything else. */
const headerTricks = ({
  genuine,
  header,
  payload,
  headerOf,
  sign,
  withHeader
}: Forger): ReadonlyArray<Trick> => [
  ["kid missing", sign(json({ alg: "HS256", typ: "at+jwt" }), payload)],
  ["kid unknown", withHeader({ kid: "ffffffff" })],
  ["kid empty", withHeader({ kid: "" })],
  ["kid of another case", withHeader({ kid: genuine.kid.toUpperCase() + "A" })],
  ["kid as a path", withHeader({ kid: "../../../../dev/null" })],
  [
    "kid as a path, keyed with the empty file",
    keyedWith(json(headerOf({ kid: "/dev/null" })), payload, "")
  ],
  ["kid as SQL", withHeader({ kid: "x' UNION SELECT 'key' -- " })],
  ["kid as a shell command", withHeader({ kid: "key|id" })],
  ["kid __proto__", withHeader({ kid: "__proto__" })],
  ["kid constructor", withHeader({ kid: "constructor" })],
  ["kid as a number", withHeader({ kid: Number.parseInt(genuine.kid, 16) })],
  ["kid as a list", withHeader({ kid: [genuine.kid] })],
  ["typ missing", sign(json({ alg: "HS256", kid: genuine.kid }), payload)],
  ["typ JWT", withHeader({ typ: "JWT" })],
  ["typ application/at+jwt", withHeader({ typ: "application/at+jwt" })],
  ["typ AT+JWT", withHeader({ typ: "AT+JWT" })],
  ["crit", withHeader({ crit: ["exp"], exp: 1 })],
  ["crit empty", withHeader({ crit: [] })],
  ["b64 false", withHeader({ b64: false, crit: ["b64"] })],
  ["jwk with a key of theirs", withHeader({ jwk: { kty: "oct", k: "AAAA" } })],
  ["jku", withHeader({ jku: "https://attacker.example/keys" })],
  ["x5u", withHeader({ x5u: "https://attacker.example/cert" })],
  ["x5c", withHeader({ x5c: ["AAAA"] })],
  ["cty, a token in a token", withHeader({ cty: "JWT" })],
  ["zip", withHeader({ zip: "DEF" })],
  [
    "header members in another order",
    sign(json({ typ: "at+jwt", alg: "HS256", kid: genuine.kid }), payload)
  ],
  ["header with white space", sign(base64url(JSON.stringify(headerOf({}), null, 1)), payload)],
  [
    "header with alg twice",
    sign(base64url(`{"alg":"none","alg":"HS256","kid":"${genuine.kid}","typ":"at+jwt"}`), payload)
  ],
  ["header not an object", sign(json(["HS256"]), payload)],
  ["header not JSON", sign(base64url("alg=HS256"), payload)],
  [
    "header with a byte order mark",
    sign(base64url(`\uFEFF${Buffer.from(header, "base64url").toString()}`), payload)
  ]
]

/** Claims changed, with and without our signature. */
const claimTricks = ({
  genuine,
  header,
  payload,
  signature,
  sign,
  withClaims,
  withText,
  without
}: Forger): ReadonlyArray<Trick> => [
  [
    "payload of another credential",
    `${header}.${json({ ...genuine.claims, sub: "another" })}.${signature}`
  ],
  [
    "payload with a later exp",
    `${header}.${json({ ...genuine.claims, exp: 4_102_444_800 })}.${signature}`
  ],
  ["one bit of the payload flipped", `${header}.${flip(payload)}.${signature}`],
  ["one bit of the signature flipped", `${header}.${payload}.${flip(signature)}`],
  ["one bit of the header flipped", `${flip(header)}.${payload}.${signature}`],
  ["sub missing", without("sub")],
  ["sub empty", withClaims({ sub: "" })],
  ["sub as an object", withClaims({ sub: { id: "x" } })],
  ["aud as a list", withClaims({ aud: ["pagora"] })],
  ["aud missing", without("aud")],
  ["iss missing", without("iss")],
  ["jti missing", without("jti")],
  ["jti as a number", withClaims({ jti: 1 })],
  ["nbf, which we do not know", withClaims({ nbf: 4_102_444_800 })],
  ["cnf, which we do not know", withClaims({ cnf: { jkt: "x" } })],
  [
    "__proto__ among the claims",
    withText((text) => text.replace("{", '{"__proto__":{"exp":4102444800},'))
  ],
  ["claims with white space", withText((text) => text.replace("{", "{ "))],
  ["claims with escapes", withText((text) => text.replace("pagora", "\\u0070agora"))],
  ["claims not an object", sign(header, json(["pagora"]))],
  ["claims null", sign(header, json(null))],
  ["claims not JSON", sign(header, base64url("iss=pagora"))],
  ["claims not UTF-8", sign(header, base64url(Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)))],
  ["claims empty", sign(header, "")],
  ["claims nested deep", sign(header, base64url("[".repeat(2_000)))]
]

/** Times that are not whole seconds, written in the one way. */
const timeTricks = ({ withClaims, withExp, without }: Forger): ReadonlyArray<Trick> => [
  ["exp as text", withClaims({ exp: "4102444800" })],
  ["exp as a fraction", withClaims({ exp: 4_102_444_800.5 })],
  ["exp written 4102444800.0", withExp('"exp":4102444800.0')],
  ["exp 1e400", withExp('"exp":1e400')],
  ["exp 1e10", withExp('"exp":1e10')],
  ["exp -0", withExp('"exp":-0')],
  ["exp negative", withClaims({ exp: -1 })],
  ["exp past 2^53", withExp('"exp":9007199254740993')],
  ["exp NaN", withExp('"exp":NaN')],
  ["exp null", withClaims({ exp: null })],
  ["exp true", withClaims({ exp: true })],
  ["exp missing", without("exp")],
  ["exp twice", withExp('"exp":1,"exp":4102444800')],
  ["iat as text", withClaims({ iat: "1" })],
  ["iat missing", without("iat")]
]

/** The text around the parts. */
const textTricks = ({
  genuine,
  header,
  payload,
  signature,
  withClaims
}: Forger): ReadonlyArray<Trick> => [
  ["empty text", ""],
  ["dots only", ".."],
  ["four parts", `${genuine.token}.${signature}`],
  ["five parts, as if encrypted", `${header}..${payload}.${signature}.AAAA`],
  ["dot in front", `.${genuine.token}`],
  ["space in front", ` ${genuine.token}`],
  ["space behind", `${genuine.token} `],
  ["line break behind", `${genuine.token}\n`],
  ["NUL behind", `${genuine.token}\0`],
  ["line break inside", `${header}.\n${payload}.${signature}`],
  ["padded parts", `${header}=.${payload}==.${signature}=`],
  ["padded signature", `${genuine.token}=`],
  [
    "base64 instead of base64url",
    genuine.token.replaceAll("-", "+").replaceAll("_", "/").replace(/$/, "+")
  ],
  ["same signature with other spare bits", `${header}.${payload}.${otherSpareBits(signature)}`],
  ["the word Bearer in front", `Bearer ${genuine.token}`],
  ["two tokens with a comma", `${genuine.token},${genuine.token}`],
  ["a wide letter", genuine.token.replace("e", "\uFF45")],
  ["quoted", `"${genuine.token}"`],
  ["JSON serialisation", JSON.stringify({ protected: header, payload, signature })],
  ["5 KB of claims", withClaims({ sub: "x".repeat(5_000) })],
  ["5 KB of signature", `${header}.${payload}.${"A".repeat(5_000)}`],
  ["1 MB", "A".repeat(1_000_000)],
  ["1 MB of dots", ".".repeat(1_000_000)]
]

const flip = (text: string): string => {
  const bytes = Buffer.from(text, "base64url")
  bytes.writeUInt8(bytes.readUInt8(8) ^ 1, 8)
  return bytes.toString("base64url")
}

/** 32 bytes leave two bits of their last letter unused, so four texts decode to the same bytes. */
const otherSpareBits = (signature: string): string => {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
  return signature.slice(0, -1) + alphabet.charAt(alphabet.indexOf(signature.slice(-1)) ^ 1)
}

const keyedWith = (header: string, payload: string, key: string | Uint8Array): string =>
  `${header}.${payload}.${createHmac("sha256", key).update(`${header}.${payload}`).digest("base64url")}`

const keyedWithPublicKey = (header: string, payload: string): string => {
  const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return keyedWith(
    header,
    payload,
    createPublicKey(publicKey.export({ type: "spki", format: "pem" }))
      .export({ type: "spki", format: "pem" })
      .toString()
  )
}

const signedByTheirs = (header: string, payload: string, kind: "rsa" | "ec"): string => {
  const { privateKey } =
    kind === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" })
  const signer = createSign("sha256").update(`${header}.${payload}`)
  const signature = signer
    .sign({ key: privateKey, dsaEncoding: "ieee-p1363" })
    .toString("base64url")
  return `${header}.${payload}.${signature}`
}
