export type { CallOptions, PromiseClientOptions } from "./Asking.ts"
export type { CallSettings } from "./CallSettings.ts"
export type { ClientOptions } from "./ClientOptions.ts"
export { createOperatorClient } from "./OperatorClient.ts"
export type {
  OperatorAnswer,
  OperatorBody,
  OperatorClient,
  OperatorClientOptions
} from "./OperatorClient.ts"
export { PagoraApiError, PagoraConnectionError } from "./PagoraErrors.ts"
export { createClient } from "./PromiseClient.ts"
export type { PagoraClient } from "./PromiseClient.ts"
export type { Answer, Body, Query } from "./Wire.ts"
