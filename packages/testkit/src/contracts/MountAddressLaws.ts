import { assert } from "@effect/vitest"
import type { HostTraits, MountLaw, MountUnderTest } from "./MountUnderTest.ts"

const shopOf = async ({ tenant }: MountUnderTest, allowedIps: ReadonlyArray<string>) => {
  const { over } = await tenant({ allowedIps })
  return async (forwardedFor?: string) => {
    const { json, status } = await over("POST", "/withdrawals", {
      body: { pixKey: "ana@example.com", pixKeyType: "email", amount: 1 },
      headers: forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }
    })
    return status === 201 ? "created" : `${status} ${String(json["details"]?.["code"])}`
  }
}

/** A `Request` does not tell where it came from: unless its host does, it stands on no list of addresses. */
const known = ({ passes, tellsAddress = passes === "node" }: HostTraits): string =>
  tellsAddress ? "created" : refused

const refused = "403 IP_NOT_ALLOWED"

/** Whose address counts, when no proxy is trusted. */
export const addressLaws: ReadonlyArray<MountLaw> = [
  {
    title: "knows the client's address by the socket, and by no header",
    law: async (test) => {
      const near = await shopOf(test, ["127.0.0.0/8"])
      assert.strictEqual(await near(), known(test.traits))
      const far = await shopOf(test, ["203.0.113.9"])
      assert.strictEqual(await far(), refused)
      assert.strictEqual(await far("203.0.113.9"), refused)
      await test.audit()
    }
  }
]

/** Whose address counts, when everything on the loopback interface is a trusted proxy. */
export const proxyLaws: ReadonlyArray<MountLaw> = [
  {
    title: "believes a trusted proxy, and not what came to it",
    law: async (test) => {
      const far = await shopOf(test, ["203.0.113.9"])
      const believed = known(test.traits)
      assert.strictEqual(await far("203.0.113.9"), believed)
      assert.strictEqual(await far("198.51.100.1, 203.0.113.9, 127.0.0.3"), believed)
      assert.strictEqual(await far("203.0.113.9, 198.51.100.1"), refused)
      assert.strictEqual(await far("unknown"), refused)
      assert.strictEqual(await far(), refused)
      await test.audit()
    }
  }
]
