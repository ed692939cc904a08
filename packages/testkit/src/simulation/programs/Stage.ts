import type { World } from "../World.ts"
import type { Ask, Asked } from "./Asked.ts"
import type { Payers } from "./Door.ts"
import type { KnownShop, Memory } from "./Memory.ts"
import { keyOf } from "./Names.ts"
import type { Operation, OperationKind, OperationOf } from "./Operation.ts"
import { present } from "../../Present.ts"

/** What whoever carries operations out has at hand. */
export interface Stage {
  readonly world: World
  readonly payers: Payers
  readonly memory: Memory
  readonly send: (ask: Ask, settled?: (asked: Asked) => void) => void
  /** Something that must not be was seen. */
  readonly violated: (violation: string) => void
}

/** Carries an operation of a shop out. */
export type Performer<Kind extends OperationKind> = (
  operation: OperationOf<Kind>,
  stage: Stage,
  shop: KnownShop
) => void

export type Performers<Kind extends OperationKind> = {
  readonly [Name in Kind]: Performer<Name>
}

/** What every request of an operation has. */
const common = (operation: Operation) => ({
  name: operation.kind,
  operation: operation.id,
  shop: operation.shop,
  process: operation.process,
  ...("key" in operation && operation.key !== undefined ? { key: keyOf(operation.key) } : {})
})

type Told = Pick<Ask, "method" | "path"> & Partial<Ask>

/** A request of a shop, on the wallet of the operation unless told otherwise. */
export const ofShop = (operation: Operation, shop: KnownShop, told: Told): Ask => {
  const credential = shop.credentialFor(operation.id)
  return {
    ...common(operation),
    wallet: operation.wallet,
    as: "tenant",
    ...present({ credential }),
    ...told
  }
}

/** A request of the operator about the wallet of the operation. */
export const ofOperator = (operation: Operation, told: Told): Ask => ({
  ...common(operation),
  wallet: operation.wallet,
  as: "operator",
  ...told
})

/** The name of a wallet where the main one is not named. */
export const subAccountOf = (wallet: string): { readonly subAccount?: string } =>
  wallet === "principal" ? {} : { subAccount: wallet }
