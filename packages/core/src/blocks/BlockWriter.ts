import type { DateTime } from "effect"
import { Context, Effect, Layer } from "effect"
import type { Charge } from "../charges/Charge.ts"
import { ChargeKind } from "../charges/Charge.ts"
import type {
  BlockId,
  ChargeId,
  LedgerTxId,
  PspReturnId,
  ReturnId,
  WalletId
} from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import { minus, plus, zero } from "../kernel/Money.ts"
import { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { Refused, StorageError } from "../units/Refused.ts"
import { StaleVersion } from "../units/Refused.ts"
import { findAllNamed, findNamed } from "../storage/FindNamed.ts"
import { Storage } from "../storage/Storage.ts"
import type { JobWrite, NewUnit, Unit } from "../units/Unit.ts"
import { begunReturn } from "../returns/ReturnJobs.ts"
import type { Block } from "./Block.ts"
import { BlockKind, collecting, counted, covered, isBefore, owed } from "./Block.ts"
import { chargeBack } from "./Chargeback.ts"

const pageSize = 100

/** The states in which a block claims money. In this order, so that one that moves on is never missed. */
const claiming = ["awaiting_response", "defended", collecting] as const

/** A change of a block, and what comes with it. */
export interface BlockChange extends Omit<NewUnit, "liens"> {
  readonly block: Block
  /** It is not written beside a return of the PSP that nobody has decided. */
  readonly isAlone?: boolean
}

/** A block as it was read, and as it is from now on. */
export interface Change {
  readonly from: Kind.Versioned<Block>
  readonly block: Block
}

/** What is claimed of a payment. */
export interface Claims {
  readonly charge: Kind.Versioned<Charge>
  readonly blocks: ReadonlyArray<Kind.Versioned<Block>>
}

/** Reads blocks, tells what of them is covered, and writes what was decided, each decision in one commit. */
export class BlockWriter extends Context.Service<
  BlockWriter,
  {
    readonly find: (id: BlockId) => Effect.Effect<Kind.Versioned<Block> | undefined, StorageError>
    /**
     * The part of a block that its wallet can pay now, after the older blocks of the wallet.
     *
     * Spending respects liens, so it never takes from what is covered; other blocks only take what is theirs. So
     * the answer still holds when it is committed, however busy the wallet is.
     */
    readonly cover: (block: Block) => Effect.Effect<Centavos, StorageError>
    /** Books that a piece of an approved block goes to its payer; nothing where the piece is nothing. */
    readonly take: (
      block: Block,
      amount: Centavos,
      now: DateTime.Utc
    ) => Effect.Effect<{ readonly block: Block; readonly unit: Taking }>
    /** Writes the change of a block with the difference that it makes to the wallet's lien and to the charge. */
    readonly write: (
      from: Kind.Versioned<Block>,
      change: BlockChange
    ) => Effect.Effect<void, Refused | StorageError>
    /** A return of the PSP on the block's payment of which nobody has said who bears it: beside it, nothing may be taken. */
    readonly undecidedOn: (block: Block) => Effect.Effect<PspReturnId | undefined, StorageError>
    /** The blocks that claim money of a payment, with the charge that names them. */
    readonly claimsOn: (charge: ChargeId) => Effect.Effect<Claims | undefined, StorageError>
    /** Writes the changes of several blocks on one payment, and what else changes at its charge, in one commit. */
    readonly writeAll: (
      charge: Kind.Versioned<Charge>,
      changes: ReadonlyArray<Change>,
      unit: Omit<NewUnit, "liens"> & { readonly noted: (charge: Charge) => Charge }
    ) => Effect.Effect<void, Refused | StorageError>
    readonly commit: (unit: NewUnit) => Effect.Effect<void, Refused | StorageError>
  }
>()("@pagora/core/blocks/BlockWriter") {
  static readonly layer: Layer.Layer<BlockWriter, never, Storage | Ids> = Layer.effect(
    BlockWriter,
    Effect.gen(function* () {
      const storage = yield* Storage
      const ids = yield* Ids

      const { commit } = storage

      const write = Effect.fnUntraced(function* (
        from: Kind.Versioned<Block>,
        { block, isAlone = false, updates: others = [], ...unit }: BlockChange
      ) {
        const delta = minus(owed(block), owed(from.value))
        const updates = [...others, Kind.update(BlockKind, from, block)]
        if (delta !== 0n) {
          const charge = yield* chargeOf(storage, block)
          // A piece beside a return that nobody has decided would pay twice: whoever took it looks again.
          const isRefusable = isAlone || isTaken(from.value, block)
          if (isRefusable && undecidedOf(charge.value) !== undefined)
            return yield* new StaleVersion({ id: block.id })
          const next = counted(charge.value, from.value, block)
          updates.push(Kind.update(ChargeKind, charge, next))
        }
        yield* commit({
          ...unit,
          updates,
          liens: delta === 0n ? [] : [{ wallet: block.wallet, delta }]
        })
      })

      const take = Effect.fnUntraced(function* (block: Block, amount: Centavos, now: DateTime.Utc) {
        if (amount === 0n) return { block, unit: { ledger: [], inserts: [], jobs: [] } }
        const tx = yield* ids.next<LedgerTxId>()
        const taking = chargeBack(block, amount, { tx, money: yield* ids.next<ReturnId>() }, now)
        // The way back to the payer begins in the unit that takes the money.
        return { block: taking.block, unit: { ledger: [taking.tx], ...begunReturn(taking.money) } }
      })

      return BlockWriter.of({
        find: (id) => storage.find(BlockKind, id),
        cover: coverIn(storage),
        take,
        write,
        undecidedOn: (block) =>
          Effect.map(chargeOf(storage, block), ({ value }) => undecidedOf(value)),
        claimsOn: claimsIn(storage),
        writeAll: writingAll(storage),
        commit
      })
    })
  )
}

const undecidedOf = ({ undecidedReturns = [] }: Charge): PspReturnId | undefined =>
  undecidedReturns[0]

const isTaken = (before: Block, after: Block): boolean => (after.pieces ?? 0) > (before.pieces ?? 0)

const claimsIn = (storage: Storage["Service"]) => {
  const unnamed = unnamedIn(storage)

  return Effect.fnUntraced(function* (
    id: ChargeId
  ): Effect.fn.Return<Claims | undefined, StorageError> {
    const charge = yield* storage.find(ChargeKind, id)
    if (charge === undefined) return undefined
    const { claims = [], openBlocks = 0 } = charge.value
    const named = yield* findAllNamed(storage, BlockKind, claims)
    const others = claims.length < openBlocks ? yield* unnamed(charge.value) : []
    return { charge, blocks: [...named, ...others] }
  })
}

/** Blocks of a charge that a version has written which did not name them there. */
const unnamedIn = (storage: Storage["Service"]) =>
  Effect.fnUntraced(function* ({ account, claims = [], id, wallet }: Charge) {
    const found = new Map<BlockId, Kind.Versioned<Block>>()
    // The block of a payment to a wallet that was closed claims of the main one.
    for (const owner of new Set([wallet, account as WalletId]))
      for (const status of claiming) {
        let after: { readonly after?: BlockId } = {}
        for (let isMore = true; isMore;) {
          const page: ReadonlyArray<Kind.Versioned<Block>> = yield* storage.list(BlockKind, {
            wallet: owner,
            status,
            order: "asc",
            limit: pageSize,
            ...after
          })
          for (const one of page)
            if (one.value.charge === id && !claims.includes(one.value.id))
              found.set(one.value.id, one)
          const last = page.at(-1)
          isMore = page.length === pageSize
          if (last !== undefined) after = { after: last.value.id }
        }
      }
    return [...found.values()]
  })

/** The charge after several of its blocks have changed. */
export const countedAll = (charge: Charge, changes: ReadonlyArray<Change>): Charge =>
  changes.reduce((known, { block, from }) => counted(known, from.value, block), charge)

const writingAll = (storage: Storage["Service"]): BlockWriter["Service"]["writeAll"] =>
  Effect.fnUntraced(function* (charge, changes, { noted, updates: others = [], ...unit }) {
    const liens = new Map<WalletId, Centavos>()
    const lien = (wallet: WalletId, delta: Centavos) =>
      liens.set(wallet, plus(liens.get(wallet) ?? zero, delta))
    for (const { block, from } of changes) {
      // Two wallets, where it has left one that was closed.
      lien(from.value.wallet, minus(zero, owed(from.value)))
      lien(block.wallet, owed(block))
    }
    // Last: what blocks no longer claim is what may be gone of the payment without them.
    const next = noted(countedAll(charge.value, changes))
    yield* storage.commit({
      ...unit,
      updates: [
        ...others,
        ...changes.map(({ block, from }) => Kind.update(BlockKind, from, block)),
        Kind.update(ChargeKind, charge, next)
      ],
      liens: [...liens].flatMap(([wallet, delta]) => (delta === 0n ? [] : [{ wallet, delta }]))
    })
  })

const chargeOf = (
  storage: Storage["Service"],
  { charge }: Block
): Effect.Effect<Kind.Versioned<Charge>, StorageError> => findNamed(storage, ChargeKind, charge)

type Taking = Required<Pick<Unit, "ledger" | "inserts">> & {
  readonly jobs: ReadonlyArray<JobWrite>
}

const coverIn = (storage: Storage["Service"]) => {
  const walletOf = Effect.fnUntraced(function* ({ wallet: id }: Block) {
    const wallet = yield* storage.wallet(id)
    return wallet ?? (yield* Effect.die(new Error(`Wallet ${id} is gone.`)))
  })

  /** What older blocks of the wallet claim, or undefined as soon as that is `everything`. */
  const ahead = Effect.fnUntraced(function* (block: Block, everything: Centavos) {
    let sum = zero
    for (const status of claiming) {
      let after: { readonly after?: BlockId } = {}
      for (let isMore = true; isMore;) {
        const page: ReadonlyArray<Kind.Versioned<Block>> = yield* storage.list(BlockKind, {
          wallet: block.wallet,
          status,
          order: "asc",
          limit: pageSize,
          ...after
        })
        const older = page.filter(({ value }) => isBefore(value, block))
        for (const { value } of older) sum = plus(sum, owed(value))
        if (sum >= everything) return undefined
        const last = older.at(-1)
        isMore = older.length === pageSize
        if (last !== undefined) after = { after: last.value.id }
      }
    }
    return sum
  })

  return Effect.fn("BlockWriter.cover")(function* (block: Block) {
    const wallet = yield* walletOf(block)
    if (wallet.available === 0n) return zero
    // All blocks are covered: no need to know which comes first.
    if (wallet.available >= wallet.lien) return owed(block)
    const older = yield* ahead(block, wallet.available)
    if (older === undefined) return zero
    // After the claims: what an older block takes in between makes this too little, never too much.
    return covered(block, yield* walletOf(block), older)
  })
}
