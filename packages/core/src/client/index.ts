export { withSettings } from "./CallSettings.ts"
export type { CallSettings } from "./CallSettings.ts"
export type { ClientOptions } from "./ClientOptions.ts"
// The refusals that the Effect client fails with.
export {
  BadRequest,
  Conflict,
  Forbidden,
  InternalError,
  NotFound,
  PayloadTooLarge,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
  UnprocessableEntity,
  UnsupportedMediaType
} from "../http/ErrorEnvelope.ts"
export { makeClient } from "./EffectClient.ts"
export type { EffectClient } from "./EffectClient.ts"
export { createOperatorClient } from "./OperatorClient.ts"
export type {
  OperatorAnswer,
  OperatorBody,
  OperatorClient,
  OperatorClientOptions
} from "./OperatorClient.ts"
export { PagoraApiError, PagoraConnectionError } from "./PagoraErrors.ts"
export { createClient } from "./PromiseClient.ts"
export type { CallOptions, PagoraClient, PromiseClientOptions } from "./PromiseClient.ts"
export { AuthenticationRefused, TokenUnavailable } from "./Tokens.ts"
export type { Answer, Body, Query } from "./Wire.ts"
