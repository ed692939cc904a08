import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { addressLaws, proxyLaws } from "./MountAddressLaws.ts"
import { answerLaws } from "./MountAnswerLaws.ts"
import { bodyLaws, lostBodyLaws } from "./MountBodyLaws.ts"
import { disconnectLaws, rawLaws, stopLaws } from "./MountConnectionLaws.ts"
import { pathLaws } from "./MountPathLaws.ts"
import type { HostTraits, MountLaw, MountStart, MountUnderTest } from "./MountUnderTest.ts"
import { startMount } from "./MountWorld.ts"

const usual = "/payments/v2"
const otherPrefixes = ["/", "/v2", "/shops/blue/payments/v2", "/payments/v2/"]

export interface MountContractOptions {
  /** Where the host is mounted: under a `usual` prefix and some that are not, or only there. Default `all`. */
  readonly prefixes?: "all" | "usual"
}

/**
 * The laws of a mount as tests, for a test file of your own: the service in a host, under several prefixes, called
 * over sockets. `start` starts your host; what the suite expects of it stands with the type.
 */
export const mountContract = (
  name: string,
  traits: HostTraits,
  start: MountStart,
  contract: MountContractOptions = {}
): void => {
  const under = (
    title: string,
    laws: ReadonlyArray<MountLaw>,
    options: { readonly prefix?: string; readonly proxies?: ReadonlyArray<string> } = {}
  ) => {
    describe(title, () => {
      let test: MountUnderTest
      beforeAll(async () => {
        test = await startMount(start, { traits, prefix: usual, ...options })
      })
      afterAll(() => test.stop())
      for (const law of laws) it(law.title, () => law.law(test))
    })
  }

  describe(`mount contract: ${name}`, () => {
    const isLost = traits.body === "lost"
    under(`under ${usual}`, [
      ...pathLaws,
      ...(isLost ? lostBodyLaws : [...bodyLaws, ...answerLaws, ...disconnectLaws, ...addressLaws]),
      ...rawLaws
    ])
    if (contract.prefixes !== "usual")
      for (const prefix of otherPrefixes) under(`under ${prefix}`, pathLaws, { prefix })
    if (isLost) return
    under("behind trusted proxies", proxyLaws, { proxies: ["127.0.0.0/8"] })
    for (const law of stopLaws) under("stopping", [law])
  })
}
