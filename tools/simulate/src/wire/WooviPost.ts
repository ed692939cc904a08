import type { RawNotification } from "@pagora/core"
import type { NewCallback } from "@pagora/fake-bank"
import type { Forging, Letter } from "@pagora/testkit/simulation"

/** By which Woovi's callbacks are told from others. */
const signatureHeader = "x-webhook-signature"

/** So many of those that went out are kept, to be sent once more. */
const keptMax = 8

/** Writes the letters of one Woovi, which signs with `sign`. */
export const makeWooviPost = (sign: (body: string) => string) => {
  let sent: ReadonlyArray<RawNotification> = []

  return ({ body, headers = {}, kind }: NewCallback, anyReference: () => string): Letter => {
    const text = JSON.stringify(body)
    const reference = /"correlationID":"(\w+)"/.exec(text)?.[1] ?? ""
    const about = `${kind} ${reference}`
    const notification = written(text, headers)
    const before = sent
    sent = [...sent, notification].slice(-keptMax)
    const signed = (bytes: string) => written(bytes, { ...headers, [signatureHeader]: sign(bytes) })
    const unproven = (how: string, make: () => RawNotification): Forging => ({
      how,
      mayBeTaken: false,
      make
    })
    return {
      about,
      reference,
      notification,
      forgings: [
        unproven("without a signature", () => {
          const { [signatureHeader]: _, ...others } = headers
          return written(text, others)
        }),
        unproven("with the signature of another one", () =>
          written(text, { ...headers, [signatureHeader]: sign(`${text} `) })
        ),
        unproven("changed on its way", () => written(anothersIn(text, anyReference), headers)),
        unproven("that cannot be read", () => signed(`<pix>${reference}</pix>`)),
        {
          how: "about what did not happen",
          mayBeTaken: true,
          make: () => signed(anothersIn(text, anyReference))
        },
        {
          how: "that tells another amount",
          mayBeTaken: true,
          make: () => signed(text.replace(/"value":\d+/, '"value":999999999'))
        },
        {
          how: "that was sent before",
          mayBeTaken: true,
          make: () => before[0] ?? notification
        }
      ]
    }
  }
}

/** The same about another one; with a space more where that is the same. */
const anothersIn = (text: string, anyReference: () => string): string => {
  const reference = anyReference()
  const told = text.replaceAll(/"correlationID":"\w+"/g, `"correlationID":"${reference}"`)
  return told === text ? `${text} ` : told
}

const written = (text: string, headers: Readonly<Record<string, string>>): RawNotification => ({
  headers,
  body: new TextEncoder().encode(text),
  query: {},
  path: ""
})
