// The frontend/backend protocol of PostgreSQL, as far as the tests speak it themselves.

/** Cuts a stream into messages: a type, four bytes of length, and the rest. */
export const messagesOf = (
  take: (message: Buffer) => void,
  hasType: () => boolean = () => true
) => {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer): void => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = hasType() ? 1 : 0
      if (rest.length < head + 4) return
      const length = rest.readInt32BE(head) + head
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      take(message)
    }
  }
}

export const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export const text = (value: string): Buffer => Buffer.from(`${value}\0`)

const startup = (parameters: Readonly<Record<string, string>>): Buffer => {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [text(name), text(value)])
  const body = Buffer.concat([Buffer.from([0, 3, 0, 0]), ...pairs, Buffer.from([0])])
  const head = Buffer.alloc(4)
  head.writeInt32BE(body.length + 4)
  return Buffer.concat([head, body])
}

/** The first message of a session with the server of a URL. */
export const startupOf = (target: URL): Buffer =>
  startup({
    user: decodeURIComponent(target.username),
    database: decodeURIComponent(target.pathname.slice(1))
  })

/** The answer to a server that asks for a password. */
export const passwordOf = (target: URL): Buffer =>
  message("p", text(decodeURIComponent(target.password)))
