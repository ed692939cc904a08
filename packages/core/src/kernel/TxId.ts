import { Result, Schema } from "effect"
import { isUuid, type Uuid } from "./Ids.ts"

/** The id of a charge at the PSP, chosen by the receiver and unique per receiver. Case matters. */
export const TxId = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9]{26,35}$/)).pipe(
  Schema.brand("TxId")
)
export type TxId = typeof TxId.Type

/** The id inside a static BR Code: shorter, not unique, and `***` for none. */
export const StaticTxId = Schema.String.check(
  Schema.isPattern(/^(?:[A-Za-z0-9]{1,25}|\*\*\*)$/)
).pipe(Schema.brand("StaticTxId"))
export type StaticTxId = typeof StaticTxId.Type

/** What a BR Code carries where no id is told; the only value in a dynamic one. */
export const noTxId: StaticTxId = StaticTxId.make("***")

const sentences = {
  dynamic: "is not a txid: 26 to 35 letters and digits without accents or hyphens.",
  static:
    "is not the id of a static BR Code: 1 to 25 letters and digits without accents or hyphens, or ***.",
  foreign: "is not one of ours: 32 hexadecimal digits in small letters."
} as const

export class InvalidTxId extends Schema.TaggedError<InvalidTxId>()("InvalidTxId", {
  reason: Schema.Literals(Object.keys(sentences) as ReadonlyArray<keyof typeof sentences>)
}) {
  override get message(): string {
    return `The text ${sentences[this.reason]}`
  }
}

export const parse = (text: string): Result.Result<TxId, InvalidTxId> =>
  isTxId(text) ? Result.succeed(text) : Result.fail(new InvalidTxId({ reason: "dynamic" }))

export const parseStatic = (text: string): Result.Result<StaticTxId, InvalidTxId> =>
  isStaticTxId(text) ? Result.succeed(text) : Result.fail(new InvalidTxId({ reason: "static" }))

/** The txid of a charge of ours: its id without hyphens, so that nothing has to be stored to go back. */
export const fromUuid = (uuid: Uuid): TxId => uuid.replaceAll("-", "") as TxId

/** The inverse of `fromUuid`; refuses the txids of other systems. */
export const toUuid = (txid: TxId): Result.Result<Uuid, InvalidTxId> => {
  const uuid = txid.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
  return isUuid(uuid) ? Result.succeed(uuid) : Result.fail(new InvalidTxId({ reason: "foreign" }))
}

const isTxId = Schema.is(TxId)
const isStaticTxId = Schema.is(StaticTxId)
