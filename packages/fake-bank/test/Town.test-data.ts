import { startFakeBank } from "@pagora/fake-bank"
import type { FakeBank, FakeBankOptions } from "@pagora/fake-bank"
import { afterEach } from "vitest"
import type { Receiver } from "./Customer.test-data.ts"
import { customerOf, openReceiver } from "./Customer.test-data.ts"

const open: Array<{ close: () => Promise<void> }> = []
const kept = <A extends { close: () => Promise<void> }>(each: A): A => {
  open.push(each)
  return each
}

export interface Town {
  readonly bank: FakeBank
  readonly receiver: Receiver
  readonly ask: Awaited<ReturnType<typeof customerOf>>
}

/** A bank whose clock stands, a customer with a token, and a listener; all of them end with the test. */
export const town = async (options: FakeBankOptions): Promise<Town> => {
  const clock = { stands: true }
  const bank = kept(await startFakeBank({ seed: 1, clock, balance: 10_000, ...options }))
  const receiver = kept(await openReceiver(bank))
  return { bank, receiver, ask: await customerOf(bank) }
}

/** Ends what the test of this file has opened. */
export const closesTowns = () =>
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close()
  })
