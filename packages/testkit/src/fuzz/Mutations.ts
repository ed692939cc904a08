import type { Chance } from "./Chance.ts"
import type { WireRequest } from "./Wire.ts"

/** One thing about a good request made wrong. Answers undefined where it does not apply. */
type Mutation = (request: WireRequest, chance: Chance) => WireRequest | undefined

type Fields = Record<string, unknown>

const withBody = (request: WireRequest, text: string | Buffer): WireRequest => ({
  ...request,
  body: typeof text === "string" ? Buffer.from(text) : text
})

const fieldsOf = ({ body }: WireRequest): Fields | undefined =>
  body === undefined ? undefined : (JSON.parse(body.toString()) as Fields)

/** The text of the body with the value of one field replaced by a text of JSON. */
const withField = (
  request: WireRequest,
  chance: Chance,
  text: (value: unknown) => string | undefined
): WireRequest | undefined => {
  const fields = fieldsOf(request)
  const names = Object.keys(fields ?? {})
  if (fields === undefined || names.length === 0) return undefined
  const chosen = chance.pick(names)
  const value = text(fields[chosen])
  if (value === undefined) return undefined
  const parts = names.map(
    (name) => `${JSON.stringify(name)}:${name === chosen ? value : JSON.stringify(fields[name])}`
  )
  return withBody(request, `{${parts.join(",")}}`)
}

const numbers = [
  "0",
  "-0",
  "-1",
  "0.001",
  "0.01",
  "1e2",
  "1E-2",
  "1e309",
  "0.30000000000000004",
  "01",
  "1.",
  ".5",
  "+1",
  "9999999999.99",
  "10000000000",
  "99999999999999999999999999",
  "9007199254740993",
  "NaN",
  "Infinity",
  "59",
  "60",
  "1209600",
  "1209601",
  "3600.5",
  "-0.01"
]
const values = ["null", "true", '""', '"x"', "0", "[]", "{}", "[null]", '{"a":1}', '"1.00"']
const strings = [
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"\\u202e\\u2066"',
  '"\\u0007"',
  '"\'; DROP TABLE entry; --"',
  '"${jndi:ldap://x}"',
  '"../../etc/passwd"',
  '"\\ud83d\\ude00"',
  JSON.stringify("é".repeat(140)),
  JSON.stringify("😀".repeat(100)),
  JSON.stringify("x".repeat(256)),
  JSON.stringify("x".repeat(5000)),
  JSON.stringify(" "),
  '"\\u00a0"',
  '"principal"'
]
const extra = ["__proto__", "constructor", "toString", "id", "status", "unknown", "", "é", "a.b"]

const bodyMutations: ReadonlyArray<Mutation> = [
  (request, chance) => withField(request, chance, () => chance.pick(values)),
  (request, chance) =>
    withField(request, chance, (value) =>
      typeof value === "number" ? chance.pick(numbers) : undefined
    ),
  (request, chance) =>
    withField(request, chance, (value) =>
      typeof value === "string" ? chance.pick(strings) : undefined
    ),
  (request, chance) => {
    const fields = fieldsOf(request)
    const names = Object.keys(fields ?? {})
    if (names.length === 0) return undefined
    const gone = chance.pick(names)
    const rest = Object.entries(fields ?? {}).filter(([name]) => name !== gone)
    return withBody(request, JSON.stringify(Object.fromEntries(rest)))
  },
  (request, chance) => {
    const text = request.body?.toString() ?? "{}"
    const field = `${JSON.stringify(chance.pick(extra))}:${chance.pick([...values, ...strings])}`
    return withBody(request, text === "{}" ? `{${field}}` : `${text.slice(0, -1)},${field}}`)
  },
  (request) => {
    const text = request.body?.toString() ?? ""
    return text.length < 3 ? undefined : withBody(request, `${text.slice(0, -1)},${text.slice(1)}`)
  }
]

const brokenBodies: ReadonlyArray<string | Buffer> = [
  "",
  " ",
  "null",
  "[]",
  "1",
  '"x"',
  "{",
  "}",
  '{"a":}',
  '{"a":1,}',
  "{'a':1}",
  "undefined",
  "\ufeff{}",
  Buffer.from([0xff, 0xfe, 0x7b]),
  Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  "[".repeat(5000),
  `{"a":${"[".repeat(40)}${"]".repeat(40)}}`,
  `[${"0,".repeat(3000)}0]`,
  `{"a":"${"x".repeat(70_000)}"}`,
  '{"amount":1}{"amount":1}',
  '{"a":1e400}'
]

const setHeader = (request: WireRequest, name: string, value: string | undefined): WireRequest => ({
  ...request,
  headers: [
    ...request.headers.filter(([other]) => other !== name),
    ...(value === undefined ? [] : [[name, value] as const])
  ]
})

const badHeaders: Readonly<Record<string, ReadonlyArray<string | undefined>>> = {
  "content-type": [
    undefined,
    "text/plain",
    "application/json; charset=latin1",
    "application/jsonx",
    "",
    "multipart/form-data"
  ],
  authorization: [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "Bearer x.y.z",
    "Basic eDp5",
    "bearer x",
    `Bearer ${"a".repeat(8000)}`,
    "Bearer \u00e9"
  ],
  "idempotency-key": ["", "short", "x".repeat(256), "caf\u00e9 1234", "        ", "12345678"],
  "x-sub-account": [
    "",
    "P",
    "Principal",
    "no-such-one",
    "-x",
    "a".repeat(33),
    "principal,principal",
    "\u00e9\u00e9",
    "principal"
  ],
  traceparent: ["x", "00-00000000000000000000000000000000-0000000000000000-00", "\u00e9"],
  accept: ["text/html", "application/xml;q=1", ""],
  "content-encoding": ["gzip", "identity", "x"],
  "accept-encoding": ["gzip, br"],
  "x-forwarded-for": ["1.2.3.4", "garbage"],
  "x-http-method-override": ["DELETE"]
}

const headerMutations: ReadonlyArray<Mutation> = [
  (request, chance) => {
    const name = chance.pick(Object.keys(badHeaders))
    return setHeader(request, name, chance.pick(badHeaders[name] ?? []))
  },
  (request, chance) => {
    const [name, value] = chance.pick(request.headers.length > 0 ? request.headers : [["x", "y"]])
    return { ...request, headers: [...request.headers, [name, value]] }
  },
  (request, chance) => {
    const token = request.headers.find(([name]) => name === "authorization")?.[1]
    if (token === undefined) return undefined
    const at = 8 + chance.below(token.length - 8)
    const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1)
    return setHeader(request, "authorization", changed)
  }
]

const badIds = [
  "00000000-0000-0000-0000-000000000000",
  "not-a-uuid",
  "%00",
  "%ff",
  "%C3%28",
  "..",
  "%2e%2e%2f",
  "%2F",
  "a%2Fb",
  "x".repeat(300),
  "%F0%9F%98%80".repeat(60),
  "'%20or%20'1'='1",
  "null",
  "-1",
  "%20",
  "%",
  "%zz",
  "a;b",
  "a?b",
  "*"
]
const badQueries = [
  "?",
  "?x=1",
  "?page=0",
  "?page=-1",
  "?page=1e9",
  "?limit=0",
  "?limit=101",
  "?limit=abc",
  "?sortBy=x",
  "?sortOrder=up",
  "?status=unknown",
  "?status=",
  "?page=1&page=2",
  "?cursor=garbage",
  "?cursor=%ff",
  "?%zz",
  "?page=%00",
  "?page=99999999999999999999",
  "?a[b]=c",
  `?x=${"y".repeat(2000)}`,
  "?type=x",
  "?from=x&to=y",
  "?createdAfter=x"
]

const pathMutations: ReadonlyArray<Mutation> = [
  (request, chance) => {
    const parts = request.path.split("/")
    if (parts.length < 3) return undefined
    parts[2] = chance.pick(badIds)
    return { ...request, path: parts.join("/") }
  },
  (request, chance) => ({ ...request, path: request.path + chance.pick(badQueries) })
]

const wrong: ReadonlyArray<ReadonlyArray<Mutation>> = [
  bodyMutations,
  headerMutations,
  pathMutations
]

/** The request with one thing made wrong; itself where nothing fits. */
export const nearlyGood: Mutation = (request, chance) =>
  chance.pick(chance.pick(wrong))(request, chance) ?? headerMutations[0]?.(request, chance)

/** A request whose body is none. */
export const broken: Mutation = (request, chance) => withBody(request, chance.pick(brokenBodies))

/** A request to a path or with a method that is not there. */
export const stray: Mutation = (request, chance) =>
  chance.happens(0.5)
    ? { ...request, method: chance.pick(["PUT", "DELETE", "PATCH", "OPTIONS"]), body: undefined }
    : {
        ...request,
        path: chance.pick([
          `${request.path.replace(/\?.*$/, "")}/`,
          `/${request.path}`,
          request.path.toUpperCase(),
          request.path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
          "/",
          "/nothing",
          "/.well-known/x",
          `/${"x".repeat(3000)}`,
          `${request.path.replace(/\?.*$/, "")}/more/of/it`
        ])
      }
