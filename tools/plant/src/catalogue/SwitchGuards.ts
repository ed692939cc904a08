import type { Guard } from "../Plant.ts"

/** Of a primary whose place is taken: a world's storage tells its epoch, and then little rests on what the former one shows. */
export const atSwitches: ReadonlyArray<Guard> = [
  {
    what: "sessions with a former primary that are gone on with: a world has no sessions",
    file: "packages/postgres/test/former-primary.test.ts",
    title: "answers nothing any more, once something was written to the other"
  },
  {
    what: "what was decided by a former primary's word, written to the other: it is expected as well",
    file: "packages/core/test/storage/overtaken.test.ts",
    title: "while a request is decided: nothing of it is written, and it can come again"
  },
  {
    what: "a job that goes on from one epoch to the next: it is expected as well",
    file: "packages/core/test/storage/overtaken.test.ts",
    title: "while a job is worked off: it is left to its lease, and comes again"
  },
  {
    what: "a change that is told as made already by a former primary's word: few say the same twice in that moment",
    file: "packages/core/test/storage/overtaken.test.ts",
    title: "while a request is told that it is made already: nobody knows"
  },
  {
    what: "a job that ends because its subject is not found: whoever has claimed it has met the primary of now",
    file: "packages/core/test/storage/former-primary.test.ts",
    title: "drops no job of what it does not know"
  },
  {
    what: "a refund that is taken for none, because it is not found: who knows of its charge knows of it",
    file: "packages/core/test/storage/former-primary.test.ts",
    title: "refunds and blocks nothing twice, because it does not know of the first"
  },
  {
    what: "a part that is not taken off a charge of before: who ends it has met the primary of now",
    file: "packages/core/test/storage/former-primary.test.ts",
    title: "takes off the part of a payment that failed"
  },
  {
    what: "a recovery or a defence that ends because its subject is not found: as with any job",
    file: "packages/core/test/storage/former-primary.test.ts",
    title: "ends no recovery and no defence of what it does not know"
  },
  {
    what: "an approved block that is not collected, because it shows as it was: who looks has met the primary of now",
    file: "packages/core/test/storage/former-primary.test.ts",
    title: "leaves no block uncollected that was approved since"
  },
  {
    what: "a return that is borne past its block, because that is not found: who looks has met the primary of now",
    file: "packages/core/test/storage/former-primary.test.ts",
    title: "lets no return of the PSP be borne past the block that it does not know"
  },
  {
    what: "what a person decides about such a return past that block: whoever decides has met the primary of now",
    file: "packages/core/test/storage/former-primary.test.ts",
    title: "lets no person decide that a return of the PSP is %s while it does not know the block"
  },
  {
    what: "a session with a server that is not the primary: a world has no sessions",
    file: "packages/postgres/test/former-primary.test.ts",
    title: "is not gone back to, nor is a standby taken for the primary, wherever the address leads"
  },
  {
    what: "a key that is answered twice: who has read of it has met the primary of now",
    file: "packages/testkit/src/contracts/StorageRefusals.ts",
    title: "an Idempotency-Key is completed that has its answer"
  }
]
