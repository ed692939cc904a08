import { layer } from "@effect/vitest"
import { Storage, StorageDriver } from "@pagora/core"
import type { Duration } from "effect"
import { Layer } from "effect"
import { accountLaws } from "./StorageAccountLaws.ts"
import { atomicityLaws } from "./StorageAtomicityLaws.ts"
import { auditAndPurgeLaws } from "./StorageAuditLaws.ts"
import { doubtLaws } from "./StorageDoubtLaws.ts"
import { faultLaws } from "./StorageFaultLaws.ts"
import { groupLaws } from "./StorageGroupLaws.ts"
import { headLaws } from "./StorageHeadLaws.ts"
import { historyLaws } from "./StorageHistoryLaws.ts"
import { identityLaws } from "./StorageIdentityLaws.ts"
import { jobLaws } from "./StorageJobLaws.ts"
import { dueLaws } from "./StorageDueLaws.ts"
import { manyClaimsLaws } from "./StorageManyClaimsLaws.ts"
import { moneyLaws } from "./StorageMoneyLaws.ts"
import { nameLaws } from "./StorageNameLaws.ts"
import { neighbourLaws } from "./StorageNeighbourLaws.ts"
import { positionLaws } from "./StoragePositionLaws.ts"
import { raceLaws } from "./StorageRaceLaws.ts"
import { readLaws } from "./StorageReadLaws.ts"
import { birthLaws } from "./StorageBirthLaws.ts"
import { deliveryLaws } from "./StorageDeliveryLaws.ts"
import { renewalLaws } from "./StorageRenewalLaws.ts"
import { textLaws } from "./StorageTextLaws.ts"

/**
 * The laws of a storage as tests, for a test file of your own. The suite drives your `StorageDriver` through
 * `Storage.layer()`, as the service does, on the real clock. Every law builds its own rows and wallets under
 * fresh ids, so suites can share one database, one after the other; it leaves what it wrote behind.
 */
export const storageContract = <E>(
  name: string,
  driver: Layer.Layer<StorageDriver, E>,
  options: {
    /** How long your storage may take to start. Default 60 seconds. */
    readonly startsIn?: Duration.Input
    /** How long one law may take, in milliseconds. Default 30,000. */
    readonly lawMillis?: number
  } = {}
): void => {
  const storage = Storage.layer().pipe(Layer.provideMerge(driver))
  const timeout = options.startsIn ?? "60 seconds"
  layer(storage, { excludeTestServices: true, timeout })(`Storage contract: ${name}`, (it) => {
    for (const { proof, title } of laws) it.effect(title, () => proof, options.lawMillis ?? 30_000)
  })
}

const laws = [
  ...atomicityLaws,
  ...moneyLaws,
  ...groupLaws,
  ...nameLaws,
  ...jobLaws,
  ...renewalLaws,
  ...birthLaws,
  ...dueLaws,
  ...manyClaimsLaws,
  ...headLaws,
  ...textLaws,
  ...readLaws,
  ...positionLaws,
  ...deliveryLaws,
  ...historyLaws,
  ...accountLaws,
  ...auditAndPurgeLaws,
  ...raceLaws,
  ...neighbourLaws,
  ...identityLaws,
  ...doubtLaws,
  ...faultLaws
]
