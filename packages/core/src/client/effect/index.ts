export type { CallSettings } from "../CallSettings.ts"
export type { ClientOptions } from "../ClientOptions.ts"
// The refusals that the client fails with.
export {
  BadRequest,
  Conflict,
  Forbidden,
  InternalError,
  NotFound,
  PayloadTooLarge,
  RequestTimeout,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  UnprocessableEntity,
  UnsupportedMediaType
} from "../../http/ErrorEnvelope.ts"
export { withSettings } from "./CurrentSettings.ts"
export { makeClient } from "./EffectClient.ts"
export type { EffectClient } from "./EffectClient.ts"
export { AuthenticationRefused, TokenUnavailable } from "./TokenErrors.ts"
