import type { Endpoint, Permission } from "./Endpoints.ts"
import { permissions } from "./Endpoints.ts"
import { expectStatus } from "./Expect.ts"
import { expectRefused } from "./Refusals.ts"
import type { World } from "./World.ts"

const rest = (permission: Permission) =>
  permissions.filter((one) => one !== permission && one !== "FULL_ACCESS")

/**
 * An endpoint against every permission: alone, and missing from all the others. It lets through who has its
 * own or FULL_ACCESS, and nobody else.
 */
export const expectPermission =
  (endpoint: Endpoint) =>
  async ({ tenant }: World): Promise<void> => {
    const { body, method, needsAccess = false, path, permission: needed, status } = endpoint
    const shop = await tenant()
    const options = body === undefined ? {} : { body }
    const holding = async (held: ReadonlyArray<string>, mayCall: boolean) => {
      const access = needsAccess ? { subAccountAccess: true } : {}
      const caller = await shop.credential({ permissions: held, ...access })
      const answer = await caller.call(method, path, options)
      if (mayCall) expectStatus(answer, status)
      else expectRefused(answer, 403, "PERMISSION_DENIED")
    }
    for (const permission of permissions) {
      await holding([permission], permission === needed || permission === "FULL_ACCESS")
      if (permission !== "FULL_ACCESS") await holding(rest(permission), permission !== needed)
    }
    await holding(["FULL_ACCESS", "ACCOUNT:READ"], true)
  }

/** An endpoint that can act on a sub-account does so only for a credential that may, whatever else it may do. */
export const expectSubAccountAccess =
  (endpoint: Endpoint) =>
  async ({ tenant }: World): Promise<void> => {
    const { body, method, path, permission, status } = endpoint
    const shop = await tenant()
    const reference = await shop.subAccount("loja")
    const options = body === undefined ? {} : { body }
    const everything = [["FULL_ACCESS"], [permission], [...permissions]]
    for (const held of everything) {
      // Off by default, and off when told.
      const closed = [
        await shop.credential({ permissions: held }),
        await shop.credential({ permissions: held, subAccountAccess: false })
      ]
      for (const caller of closed) {
        for (const subAccount of [reference, "principal", "nobody"]) {
          const answer = await caller.call(method, path, { ...options, subAccount })
          expectRefused(answer, 403, "SUB_ACCOUNT_FORBIDDEN")
        }
        expectStatus(await caller.call(method, path, options), status)
      }
      const open = await shop.credential({ permissions: held, subAccountAccess: true })
      for (const subAccount of [reference, "principal"]) {
        expectStatus(await open.call(method, path, { ...options, subAccount }), status)
      }
      const unknown = await open.call(method, path, { ...options, subAccount: "nobody" })
      expectRefused(unknown, 404, "SUB_ACCOUNT_NOT_FOUND")
    }
    // Access alone is no permission.
    const other = permission === "ACCOUNT:READ" ? "PIX:WRITE" : "ACCOUNT:READ"
    const poor = await shop.credential({ permissions: [other], subAccountAccess: true })
    const denied = await poor.call(method, path, { ...options, subAccount: reference })
    expectRefused(denied, 403, "PERMISSION_DENIED")
  }
