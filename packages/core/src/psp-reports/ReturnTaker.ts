import type { DateTime } from "effect"
import { Effect } from "effect"
import type { SubAccount } from "../accounts/SubAccount.ts"
import { SubAccountKind } from "../accounts/SubAccount.ts"
import type { Bearer } from "../blocks/Bearing.ts"
import {
  bearsByDecision,
  bearsByItself,
  giveBack,
  lowered,
  ofMainWallet,
  sharedOf,
  shares,
  takenBack
} from "../blocks/Bearing.ts"
import type { Block } from "../blocks/Block.ts"
import { BlockKind } from "../blocks/Block.ts"
import type { Change, Claims } from "../blocks/BlockWriter.ts"
import type { InfractionBlocks } from "../blocks/InfractionBlocks.ts"
import { Charge } from "../charges/Charge.ts"
import { goneBeside } from "../charges/ChargeRefunds.ts"
import type {
  BlockId,
  ChargeId,
  LedgerTxId,
  PspReturnId,
  ReturnId,
  WalletId
} from "../kernel/Ids.ts"
import type { Centavos } from "../kernel/Money.ts"
import type { LedgerTx } from "../ledger/LedgerTx.ts"
import { forestalled, isAtRest, Return, ReturnKind } from "../returns/Return.ts"
import { release } from "../returns/ReturnPostings.ts"
import type { LoadedReturn } from "../returns/ReturnWriter.ts"
import { withChange } from "../returns/ReturnWriter.ts"
import { findNamed } from "../storage/FindNamed.ts"
import type { Storage } from "../storage/Storage.ts"
import type { Ids } from "../time/Ids.ts"
import * as Kind from "../units/Kind.ts"
import type { StorageError } from "../units/Refused.ts"
import type { NewUnit } from "../units/Unit.ts"

/** What stands on a payment: what is claimed of it, and what approved blocks have on its way back to the payer. */
export interface Standing extends Claims {
  /** The blocks of those pieces; they need not claim anything any more. */
  readonly sources: ReadonlyArray<Kind.Versioned<Block>>
  readonly pieces: ReadonlyArray<LoadedReturn>
  /** The refunds of the payment that have not ended. */
  readonly refunds: ReadonlyArray<LoadedReturn>
  /** The sub-account whose payment it is, where pieces were taken of its wallet. */
  readonly owner: Kind.Versioned<SubAccount> | undefined
}

interface Reading {
  readonly storage: Storage["Service"]
  readonly blocks: InfractionBlocks["Service"]
}

const pageSize = 100

/**
 * Pieces that may still reach the payer stand in these states. One that moves on meanwhile is never missed, nor is one that
 * comes back, because its PSP has refused it late: what is read last counts.
 */
const underWay = ["requested", "processing", "requested"] as const

/** Reads what stands on a payment. */
export const standingOn = ({ blocks, storage }: Reading) => {
  const returnsIn = Effect.fnUntraced(function* (wallet: WalletId, endToEndId: string) {
    const found = new Map<ReturnId, LoadedReturn>()
    for (const status of underWay) {
      let after: { readonly after?: ReturnId } = {}
      for (let isMore = true; isMore;) {
        const page: ReadonlyArray<LoadedReturn> = yield* storage.list(ReturnKind, {
          wallet,
          status,
          order: "asc",
          limit: pageSize,
          ...after
        })
        for (const one of page)
          if (one.value.endToEndId === endToEndId) found.set(one.value.id, one)
        const last = page.at(-1)
        isMore = page.length === pageSize
        if (last !== undefined) after = { after: last.value.id }
      }
    }
    return [...found.values()]
  })

  return Effect.fnUntraced(function* (
    id: ChargeId,
    endToEndId: string
  ): Effect.fn.Return<Standing | undefined, StorageError> {
    const claims = yield* blocks.claimsOn(id)
    if (claims === undefined) return undefined
    const { account, wallet } = claims.charge.value
    // The block of a payment to a wallet that is closed by now claims of the main one.
    const returns: Array<LoadedReturn> = []
    for (const owner of new Set([wallet, account as WalletId]))
      returns.push(...(yield* returnsIn(owner, endToEndId)))
    const pieces = returns.filter(({ value }) => value.purpose === "chargeback")
    const refunds = returns.filter(({ value }) => value.purpose === "refund")
    const sources: Array<Kind.Versioned<Block>> = []
    for (const source of new Set(pieces.map(({ value }) => value.source as BlockId))) {
      const known = claims.blocks.find(({ value }) => value.id === source)
      sources.push(known ?? (yield* findNamed(storage, BlockKind, source)))
    }
    const isOfSubAccount = sources.some(({ value }) => value.wallet !== value.account)
    const owner = isOfSubAccount ? yield* findNamed(storage, SubAccountKind, wallet) : undefined
    return { ...claims, sources, pieces, refunds, owner }
  })
}

/** What is on its way to the payer, or may be. Beside it, nobody can say what a return of the PSP was for. */
export const underWayOn = ({ pieces, refunds }: Standing): ReadonlyArray<LoadedReturn> =>
  [...pieces, ...refunds].filter(({ value }) => !isAtRest(value))

/** What a return of a PSP does to what stands on its payment. */
export interface Taking {
  readonly changes: ReadonlyArray<Change>
  /** What of the return was claimed. */
  readonly claimed: Centavos
  /** The block by which it is borne first. */
  readonly first: Block | undefined
  readonly unit: Required<Pick<NewUnit, "updates" | "ledger" | "jobs" | "expects">>
}

interface Terms {
  readonly amount: Centavos
  readonly at: DateTime.Utc
  readonly bearer: Bearer
  /** Whether a person has decided it. */
  readonly isDecided: boolean
  /** The wallet that bears it, where that is known. */
  readonly wallet?: WalletId
  readonly isAccepted?: (block: Block) => boolean
}

/**
 * Lowers the claims on a payment by what its PSP has given back. Pieces of approved blocks of which nothing is under way are
 * not sent any more: what they had taken is claimed again first, so that it bears the return (decision 0111).
 */
export const lowering =
  (ids: Ids["Service"]) =>
  (standing: Standing, terms: Terms): Effect.Effect<Taking> =>
    Effect.gen(function* () {
      const { at } = terms
      const blocks = new Map<BlockId, Change>()
      for (const from of [...standing.blocks, ...standing.sources])
        blocks.set(from.value.id, { from, block: from.value })
      const change = (block: Block): void => {
        const known = blocks.get(block.id)
        if (known !== undefined) blocks.set(block.id, { ...known, block })
      }
      const ledger: Array<LedgerTx> = []
      let unit: NewUnit = { at }
      for (const piece of standing.pieces.filter(({ value }) => isAtRest(value))) {
        const known = blocks.get(piece.value.source as BlockId)
        if (known === undefined) continue
        const block = inOpenWallet(known.block, standing)
        const next = forestalled(piece.value, at, block.wallet)
        unit = withChange(unit, piece, next)
        ledger.push(
          release(next, yield* ids.next<LedgerTxId>()),
          giveBack(block, next, yield* ids.next<LedgerTxId>())
        )
        change(takenBack(block, next.amount, at))
      }
      const found = sharesOf([...blocks.values()], terms)
      for (const share of found) change(lowered(share, terms.bearer, at))
      return {
        changes: [...blocks.values()].filter(({ block, from }) => block !== from.value),
        claimed: sharedOf(found),
        first: found[0]?.block,
        unit: {
          updates: unit.updates ?? [],
          jobs: unit.jobs ?? [],
          ledger,
          expects: expectsOf(standing)
        }
      }
    })

/** Nothing comes to a closed wallet any more: what is taken back of a block comes to the main one, which it claims of then. */
const inOpenWallet = (block: Block, { owner }: Standing): Block =>
  owner?.value.status === "closed" && block.wallet === owner.value.id ? ofMainWallet(block) : block

/** A closing beside it is refused, or comes first and shows. */
const expectsOf = ({ owner }: Standing) =>
  owner === undefined ? [] : [Kind.expectation(SubAccountKind, owner)]

const sharesOf = (changes: ReadonlyArray<Change>, terms: Terms) => {
  const { amount, isAccepted, isDecided, wallet } = terms
  const bears = isDecided ? bearsByDecision : bearsByItself
  const bearing = changes
    .map(({ block }) => block)
    .filter((block) => bears(block) && (wallet === undefined || block.wallet === wallet))
  return shares(bearing, amount, isAccepted)
}

/** Beside a return that nobody has decided nothing is sent: neither what may still reach the payer, nor a refund at all. */
export const besides = (standing: Standing, id: PspReturnId): NonNullable<NewUnit["updates"]> =>
  [...new Set([...underWayOn(standing), ...standing.refunds])].map((money) =>
    Kind.update(ReturnKind, money, new Return({ ...money.value, besides: id }))
  )

/** A return of the PSP waits for a person, beside whom nothing more of the payment goes back. */
export const noted =
  (id: PspReturnId) =>
  (charge: Charge): Charge =>
    new Charge({ ...charge, undecidedReturns: [...(charge.undecidedReturns ?? []), id] })

/** A person has decided it. What of it no block has given back is gone all the same. */
export const decided =
  (id: PspReturnId, unclaimed: Centavos) =>
  ({ undecidedReturns = [], ...charge }: Charge): Charge =>
    goneBeside(
      new Charge({ ...charge, undecidedReturns: undecidedReturns.filter((one) => one !== id) }),
      unclaimed
    )
