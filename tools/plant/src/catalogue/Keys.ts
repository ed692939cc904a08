import type { Plant } from "../Plant.ts"
import { inCore } from "../Plant.ts"

/** Idempotency keys: who has one, what it leads to, and for how long. */
export const keys: ReadonlyArray<Plant> = [
  {
    name: "key-begun-twice",
    what: "A key that is begun can be begun again: two same-key requests at two processes pay twice.",
    storage: "memory",
    edits: [
      inCore(
        "units/Decision.ts",
        "stands(fact, idempotency.asOf ?? unit.at)",
        "fact.entity === idempotency.entity"
      )
    ]
  },
  {
    name: "key-of-every-tenant",
    what: "A key belongs to no tenant: who uses the same as another one is answered with what that one did, or told that it is taken.",
    storage: "memory",
    edits: [inCore("units/Facts.ts", "${scope.wallet}\\0${scope.route}", "${scope.route}")]
  },
  {
    name: "key-forgotten-early",
    what: "A key counts for 24 minutes instead of 24 hours: a client that comes back after an hour pays twice.",
    storage: "memory",
    edits: [
      inCore(
        "idempotency/IdempotencyKeys.ts",
        "idempotencyWindow = Duration.hours(24)",
        "idempotencyWindow = Duration.minutes(24)"
      )
    ]
  },
  {
    name: "purge-margin-added",
    what: "The margin of a purge is added instead of taken off: keys go before their end, and the counters of the day with them.",
    storage: "memory",
    since: 2,
    edits: [
      inCore(
        "workers/Purger.ts",
        "DateTime.subtractDuration(earliest, kept[what])",
        "DateTime.addDuration(earliest, kept[what])"
      )
    ]
  },
  {
    name: "repeat-told-unsafe",
    what: "What comes again is told by what a storage shows whose standby is away: the withdrawal is gone with the storage.",
    storage: "memory",
    edits: [
      inCore(
        "storage/Storage.ts",
        "sync: driver.sync && (yield* syncing(driver.sync, driver.epoch)),",
        "sync: undefined,"
      )
    ]
  },
  {
    name: "made-already-told-unsafe",
    what: "A change that is made already is acknowledged by what a storage shows whose standby is away: a credential lives on after its end.",
    storage: "memory",
    edits: [
      inCore(
        "http/Acknowledged.ts",
        "mark?.mayBeWritten === true ? Effect.void : sync",
        "Effect.void"
      )
    ]
  },
  {
    name: "twin-answered-with-the-intent",
    what: "The key of a charge leads to its intent before the PSP has answered: a twin gets other bytes, without a code to pay.",
    storage: "memory",
    edits: [
      inCore(
        "charges/ChargeIntents.ts",
        "...begun(key, charge.id, null)",
        "...begun(key, charge.id, ChargeKind.snapshot(charge))"
      )
    ]
  },
  {
    name: "key-for-another-body",
    what: "A key answers another request than the one that it was used for: what was asked for is never done, and told as done.",
    storage: "memory",
    edits: [
      inCore(
        "idempotency/IdempotencyKeys.ts",
        '          if (record.fingerprint !== fingerprint) return { _tag: "Reused" }\n',
        ""
      )
    ]
  }
]
