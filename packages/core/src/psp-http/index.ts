// For those who write the layer of a PSP that is asked in JSON over HTTP.
export { oneFlight } from "../kernel/OneFlight.ts"
export type { Asked, NotDone } from "./Asked.ts"
export { another, failed, onceTaken, orFail, unlessThere, whereThere } from "./Asked.ts"
export type { EventWebhook, EventWebhooksOptions } from "./EventWebhooks.ts"
export { eventWebhooks } from "./EventWebhooks.ts"
export type { Fields } from "./Fields.ts"
export { fieldsOf, Misfit } from "./Fields.ts"
export type { Findings } from "./Findings.ts"
export { finding, orFinding, toPrepare } from "./Findings.ts"
export { parseJson } from "./Json.ts"
export type { ApiError, ApiRequest, ApiSettings, JsonApi, JsonApiOptions } from "./JsonHttp.ts"
export { jsonApi } from "./JsonHttp.ts"
export type { Named } from "./Notices.ts"
export { headerOf, readBodies, readNotices } from "./Notices.ts"
export { endCharge, giveBack, isAskedFor, withPayments, withReturns } from "./Orders.ts"
export type { PspCalls } from "./PspCalls.ts"
export { pspFromCalls, someCalls } from "./PspCalls.ts"
export type { PublishedKeys, PublishedKeysOptions } from "./Signatures.ts"
export { isSame, nameOfSecret, publishedKeys } from "./Signatures.ts"
export type { Exchanged, HttpAnswer, HttpRequest, Transport } from "./Transport.ts"
export {
  isEndToEndId,
  isPayable,
  isReference,
  isReturnId,
  networkReasons,
  payerOf,
  reasonsBy
} from "./Words.ts"
