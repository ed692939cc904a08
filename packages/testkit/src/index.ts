// For authors of a PSP: the laws as tests.
export { pspContract } from "./contracts/PspContract.ts"
export { leftOut, PspUnderTest } from "./contracts/PspUnderTest.ts"
export type { Ability, PspAbilities } from "./contracts/PspUnderTest.ts"
// For authors of a webhook transport.
export { transportContract } from "./contracts/TransportContract.ts"
// For authors of an adapter to a host framework.
export { mountContract } from "./contracts/MountContract.ts"
export type { HostTraits, MountedHost, MountStart } from "./contracts/MountUnderTest.ts"
export { listening } from "./contracts/MountHost.ts"
export { rawRequests } from "./contracts/RawRequests.ts"
export type { RawCase } from "./contracts/RawFraming.ts"
export { sendRaw } from "./contracts/RawSocket.ts"
export type { RawOutcome } from "./contracts/RawSocket.ts"
// Layers for tests of the whole service.
export { RecordingTransport } from "./RecordingTransport.ts"
export type { AnswerScript, RecordedRequest } from "./RecordingTransport.ts"
// For authors of a storage: the laws as tests.
export { storageContract } from "./contracts/StorageContract.ts"
export { storageReopenContract } from "./contracts/StorageReopenContract.ts"
export { storageAgreement } from "./contracts/StorageAgreement.ts"
export { losingAnswers, poisonedBy } from "./contracts/StorageFaults.ts"
export type { Fate } from "./contracts/StorageFaults.ts"
// Stories of the whole service, in process.
export { layerPagora, TestPagora, testPspCredential } from "./TestPagora.ts"
export type { Answer, Call, CallOptions, JsonBody } from "./AnswerTypes.ts"
export type { Tenant, TenantOptions } from "./TestPagora.ts"
export { expecting, hookUrl, journey, resumed, whileTimePasses } from "./Journey.ts"
export type {
  Fault,
  Figures,
  Journey,
  NewEndpoint,
  Payment,
  RefundReceipt,
  WithId
} from "./Journey.ts"
export type { ReceivedEvent } from "./ReceivedEvent.ts"
export { startMortal, untilDeath } from "./JourneyCrash.ts"
export type { CrashPoint, MortalProcess } from "./JourneyCrash.ts"
export { crashAt, crashScenarios } from "./JourneyCrashes.ts"
export type { CrashScenario } from "./JourneyCrashes.ts"
// The service as a real process.
export { calling, launchPagora, shopOf, startPagora } from "./RunningPagora.ts"
export type {
  Ended,
  HttpAnswer,
  HttpCall,
  Launched,
  RunningFacts,
  RunningPagora
} from "./RunningPagora.ts"
export { eventually, startReceiver } from "./JourneyReceiver.ts"
export type { ReceivedWebhook, Receiver } from "./JourneyReceiver.ts"
// The specification, checked against a running deployment by HTTP alone.
export * from "./conformance/index.ts"
