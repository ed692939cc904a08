import { Context, Effect, Layer } from "effect"
import type { DateTime } from "effect"
import { Schema } from "effect"
import { ChargeKind } from "../charges/Charge.ts"
import type { AccountId, BlockId, WalletId } from "../kernel/Ids.ts"
import { isUuid } from "../kernel/Ids.ts"
import { present } from "../kernel/Present.ts"
import { decideAgain, refusedFor, staleWhenEnded } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { PspDefence } from "../ports/Psp.ts"
import { PspDirectory } from "../ports/Psp.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import type { PageRead } from "../ports/StorageDriver.ts"
import type {
  Block,
  BlockNotOpen,
  BlockResolution,
  BlockStatus,
  LessThanGone,
  NewBlock,
  NotThatMuch
} from "./Block.ts"
import { BlockKind, collecting, defend, NotAPayment, resolve, ReturnUndecided } from "./Block.ts"
import { BlockWriter } from "./BlockWriter.ts"
import { blockApproved, endOf } from "./BlockEvents.ts"
import type { BlockServices } from "./BlockOpener.ts"
import { opening, published } from "./BlockOpener.ts"
import { nextLook } from "./Chargeback.ts"
import type { NotAnswerable } from "./Defence.ts"
import { answering } from "./Defence.ts"

/** Blocks that a tenant is answered at once; more are in the operator's pages only. */
export const blocksMax = 10_000
/** Rows that are read at once, so that a long list leaves the service time for others. */
const readAtOnce = 500

export class BlockNotFound extends Schema.TaggedError<BlockNotFound>()("BlockNotFound", {
  id: Schema.String
}) {}

/** Opens, moves and lists balance blocks. Blocks come from the operator, or from the PSP through them. */
export class Blocks extends Context.Service<
  Blocks,
  {
    /** Blocks what is left of a completed payment of the account, or the part that is told. */
    readonly create: (
      account: AccountId,
      transactionId: string,
      request: NewBlock,
      key?: IdempotencyKey
    ) => Effect.Effect<Block, NotAPayment | NotThatMuch | IdempotencyKeyTaken | StorageError>
    /** Notes that the merchant's defence was handed in. */
    readonly defend: (
      id: string,
      key?: IdempotencyKey
    ) => Effect.Effect<Block, BlockNotFound | BlockNotOpen | IdempotencyKeyTaken | StorageError>
    /** Has the PSP told what the merchant says to the report behind the block; the answer is on its way then. */
    readonly answer: (
      id: string,
      words: Pick<PspDefence, "answer" | "text">,
      key?: IdempotencyKey
    ) => Effect.Effect<Block, BlockNotFound | NotAnswerable | IdempotencyKeyTaken | StorageError>
    /**
     * Approved: what the wallet has of it, or of the part that is told, goes to the payer now, and more as it comes.
     * Rejected: it is the merchant's again. Not approved beside a return of the PSP that nobody has decided: that may be the
     * same money.
     */
    readonly resolve: (
      id: string,
      resolution: BlockResolution,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Block,
      | BlockNotFound
      | BlockNotOpen
      | NotThatMuch
      | LessThanGone
      | ReturnUndecided
      | IdempotencyKeyTaken
      | StorageError
    >
    /** The wallet's blocks, newest first, at most `blocksMax`. */
    readonly list: (
      wallet: WalletId,
      status?: BlockStatus
    ) => Effect.Effect<ReadonlyArray<Block>, StorageError>
    /** The account's blocks, of all its wallets, newest first. */
    readonly page: (
      account: AccountId,
      page: PageRead & { readonly status?: BlockStatus }
    ) => Effect.Effect<ReadonlyArray<Block>, StorageError>
  }
>()("@pagora/core/blocks/Blocks") {
  static readonly layer: Layer.Layer<
    Blocks,
    never,
    Storage | BlockWriter | PspDirectory | Ids | ServiceTime
  > = Layer.effect(
    Blocks,
    Effect.gen(function* () {
      const storage = yield* Storage
      const services: BlockServices = {
        storage,
        writer: yield* BlockWriter,
        directory: yield* PspDirectory,
        ids: yield* Ids,
        time: yield* ServiceTime
      }
      return Blocks.of({
        create: creator(services),
        defend: defender(services),
        answer: answerer(services),
        resolve: resolver(services),
        list: lister(storage),
        page: pager(storage)
      })
    })
  )
}

const values = <A>(rows: ReadonlyArray<Kind.Versioned<A>>): ReadonlyArray<A> =>
  rows.map(({ value }) => value)

const creator = (services: BlockServices) => {
  const { storage } = services
  const open = opening(services)

  return Effect.fn("Blocks.create")(
    function* (account: AccountId, transactionId: string, request: NewBlock, key?: IdempotencyKey) {
      const found = isUuid(transactionId)
        ? yield* storage.find(ChargeKind, transactionId)
        : undefined
      if (found?.value.account !== account) return yield* new NotAPayment({ id: transactionId })
      return yield* open(found, request, key)
    },
    (effect) => decideAgain(effect)
  )
}

const finder = ({ writer }: BlockServices) =>
  Effect.fnUntraced(function* (id: string) {
    const found = isUuid(id) ? yield* writer.find(id as BlockId) : undefined
    return found ?? (yield* new BlockNotFound({ id }))
  })

const defender = (services: BlockServices) => {
  const { writer, time } = services
  const find = finder(services)

  return Effect.fn("Blocks.defend")(
    function* (id: string, key?: IdempotencyKey) {
      const current = yield* find(id)
      const at = yield* time.now
      const block = yield* Effect.fromResult(defend(current.value, at))
      yield* writer
        .write(current, { block, at, ...begun(key, block.id, BlockKind.snapshot(block)) })
        .pipe(keyTaken, refusedFor("StaleVersion"))
      return block
    },
    (effect) => decideAgain(effect)
  )
}

const answerer = (services: BlockServices) => {
  const { directory, time, writer } = services
  const find = finder(services)

  return Effect.fn("Blocks.answer")(
    function* (id: string, words: Pick<PspDefence, "answer" | "text">, key?: IdempotencyKey) {
      const current = yield* find(id)
      const now = yield* time.now
      const isOffered =
        directory.find(current.value.pspCredentialId)?.defendInfraction !== undefined
      const block = yield* Effect.fromResult(answering(current.value, words, { isOffered, now }))
      const job = { queue: "infraction", id: block.id, group: block.account, due: now } as const
      yield* writer
        .write(current, {
          block,
          at: now,
          jobs: [{ _tag: "Schedule", ...job }],
          ...begun(key, block.id, BlockKind.snapshot(block))
        })
        .pipe(keyTaken, refusedFor("StaleVersion"))
      return block
    },
    (effect) => decideAgain(effect)
  )
}

interface Resolving {
  readonly at: DateTime.Utc
  readonly key: IdempotencyKey | undefined
  readonly isAlone: boolean
}

const resolver = (services: BlockServices) => {
  const { writer, time } = services
  const find = finder(services)

  const reject = Effect.fnUntraced(function* (
    current: Kind.Versioned<Block>,
    block: Block,
    { at, isAlone, key }: Resolving
  ) {
    yield* writer.write(current, {
      ...(yield* published(services, endOf(block), block, at)),
      block,
      isAlone,
      at,
      ...begun(key, block.id, BlockKind.snapshot(block))
    })
    return block
  })

  const approve = Effect.fnUntraced(function* (
    current: Kind.Versioned<Block>,
    approved: Block,
    { at, key }: Resolving
  ) {
    const { block, unit } = yield* writer.take(approved, yield* writer.cover(approved), at)
    const publication = yield* published(services, blockApproved, block, at)
    const due = nextLook(block, at)
    yield* writer.write(current, {
      ...publication,
      ...unit,
      block,
      at,
      ...begun(key, block.id, BlockKind.snapshot(block)),
      jobs: [
        ...unit.jobs,
        ...(due === undefined
          ? []
          : [
              { _tag: "Schedule", queue: "block", id: block.id, group: block.account, due } as const
            ])
      ]
    })
    return block
  })

  return Effect.fn("Blocks.resolve")(
    function* (id: string, resolution: BlockResolution, key?: IdempotencyKey) {
      const { isReports = false, outcome } = resolution
      const isAlone = isReports || outcome === "approved"
      const current = yield* find(id)
      const at = yield* time.now
      const next = yield* Effect.fromResult(resolve(current.value, resolution, at))
      const pspReturn = isAlone ? yield* writer.undecidedOn(current.value) : undefined
      if (pspReturn !== undefined)
        return yield* new ReturnUndecided({ id: current.value.id, pspReturn })
      const write = outcome === "approved" ? approve : reject
      const block = yield* write(current, next, { at, isAlone, key }).pipe(
        staleWhenRefused(current.value)
      )
      yield* Effect.logInfo("A balance block was resolved.").pipe(
        Effect.annotateLogs({ block: id, outcome })
      )
      return block
    },
    (effect) => decideAgain(effect)
  )
}

/**
 * Somebody else has resolved the block meanwhile (their event and booking stand), or has taken what was covered:
 * both mean to look and decide anew.
 */
const staleWhenRefused =
  ({ id }: Block) =>
  <A>(write: Effect.Effect<A, Refused | StorageError>) =>
    write.pipe(
      keyTaken,
      staleWhenEnded(id),
      refusedFor("StaleVersion", "InsufficientFunds"),
      Effect.catchTag("InsufficientFunds", () => new StaleVersion({ id }))
    )

const lister = (storage: Storage["Service"]) => {
  const read = Effect.fnUntraced(function* (wallet: WalletId, status: string | undefined) {
    const blocks: Array<Block> = []
    for (let isMore = true; isMore && blocks.length < blocksMax;) {
      const last = blocks.at(-1)
      const page = yield* storage.list(BlockKind, {
        wallet,
        order: "desc",
        limit: readAtOnce,
        ...present({ status, after: last?.id })
      })
      blocks.push(...values(page))
      isMore = page.length === readAtOnce
    }
    return blocks
  })

  return Effect.fn("Blocks.list")(function* (wallet: WalletId, status?: BlockStatus) {
    if (status !== "approved") return yield* read(wallet, status)
    // An approved block is stored as `collecting` until it is collected. Read first: it may become the other meanwhile.
    const open = yield* read(wallet, collecting)
    return newest([...open, ...(yield* read(wallet, status))], blocksMax)
  })
}

const pager = (storage: Storage["Service"]) =>
  Effect.fn("Blocks.page")(function* (
    account: AccountId,
    { status, ...page }: PageRead & { readonly status?: BlockStatus }
  ) {
    const read = (stored: string | undefined) =>
      Effect.map(
        storage.list(BlockKind, {
          ...page,
          account,
          order: "desc",
          ...present({ status: stored })
        }),
        values
      )
    if (status !== "approved") return yield* read(status)
    const open = yield* read(collecting)
    return newest([...open, ...(yield* read(status))], page.limit)
  })

/** Each block once, as it was read last, newest first. */
const newest = (blocks: ReadonlyArray<Block>, max: number): ReadonlyArray<Block> =>
  [...new Map(blocks.map((block) => [block.id, block])).values()]
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, max)
