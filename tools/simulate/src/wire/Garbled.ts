import type { WrittenAnswer } from "@pagora/fake-bank"
import type { Chance } from "./WireFaults.ts"

/** What no client can have been written for. Money in it is never another amount: that would be a lie, and no garbage. */
const ways: ReadonlyArray<(text: string, chance: Chance) => string> = [
  (text, chance) => text.slice(0, chance.below(Math.max(1, text.length))),
  () => "",
  () => "null",
  () => "[]",
  () => "{}",
  (text) => text.replace(/"status":"[A-Z_]+"/g, '"status":"SUSPENSO"'),
  (text) => text.replace(/"(txid|id|idEnvio|codigoSolicitacao|correlationID)":"[^"]+"/g, '"$1":""'),
  (text) =>
    text
      .replace(/"(valor|original)":"([^"]+)"/g, '"$1":"R$ $2"')
      .replace(/"value":(\d+)/g, '"value":"R$ $1"'),
  (text) => text.replace(/"(endToEndId|e2eId|endToEnd)":"[^"]+"/g, '"$1":null')
]

/** An answer that cannot be read, or says less than it has to. */
export const garbled = (
  chance: Chance,
  { headers, status, text }: WrittenAnswer
): WrittenAnswer => ({
  status,
  headers,
  text: chance.pick(ways)(text, chance)
})
