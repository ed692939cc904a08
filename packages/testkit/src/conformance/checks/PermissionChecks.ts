import type { Check } from "../Check.ts"
import {
  cancelCharge,
  createCharge,
  createProject,
  createRefund,
  createSubAccount,
  createTransfer,
  createWithdrawal,
  getAccount,
  getTransaction,
  getWithdrawal,
  listBlocks,
  listProjects,
  listSubAccounts,
  listTransactions,
  permissions
} from "../Endpoints.ts"
import { expectShape, expectThat } from "../Expect.ts"
import { expectPermission, expectSubAccountAccess } from "../PermissionMatrix.ts"
import { expectRefused } from "../Refusals.ts"
import { tokenShape } from "../SpecShapes.ts"

const matrix = ["S-177", "S-178", "S-224", "S-225", "S-307"]
const access = ["S-168", "S-171", "S-172", "S-173", "S-175", "S-176", "S-227", "S-307"]

export const permissionChecks: ReadonlyArray<Check> = [
  {
    rules: ["S-181", "S-225"],
    title: "POST /auth gives a token to a credential of any permission, and there are eleven",
    run: async ({ api, operator, tenant }) => {
      const shop = await tenant()
      for (const permission of permissions) {
        const caller = await shop.credential({ permissions: [permission] })
        const body = { client_id: caller.clientId, client_secret: caller.clientSecret }
        expectShape(await api("POST", "/auth", { body }), 200, tokenShape)
      }
      for (const permission of ["PIX:READ", "pix:write", "*", "", "FULL_ACCESS "]) {
        const body = { permissions: [permission] }
        const answer = await operator("POST", `/accounts/${shop.id}/credentials`, { body })
        expectRefused(answer, 400)
      }
      expectThat("eleven permissions are known", permissions.length === 11)
    }
  },
  {
    rules: [...matrix, "S-182"],
    title: "POST /pix needs PIX:WRITE or FULL_ACCESS, and no other permission will do",
    run: expectPermission(createCharge)
  },
  {
    rules: [...matrix, "S-183"],
    title:
      "POST /withdrawals needs WITHDRAWAL:WRITE or FULL_ACCESS, and no other permission will do",
    run: expectPermission(createWithdrawal)
  },
  {
    rules: [...matrix, "S-185"],
    title:
      "GET /transactions/{id} needs TRANSACTION:READ or FULL_ACCESS, and no other permission will do",
    run: expectPermission(getTransaction)
  },
  {
    rules: [...matrix, "S-186"],
    title:
      "POST /transactions/{id}/refund needs REFUND:WRITE or FULL_ACCESS, and no other permission will do",
    run: expectPermission(createRefund)
  },
  {
    rules: [...matrix, "S-187"],
    title: "POST /projects needs PROJECT:WRITE or FULL_ACCESS, and no other permission will do",
    run: expectPermission(createProject)
  },
  {
    rules: [...matrix, "S-188"],
    title: "GET /projects needs PROJECT:READ or FULL_ACCESS, and no other permission will do",
    run: expectPermission(listProjects)
  },
  {
    rules: [...matrix, "S-192"],
    title:
      "POST /sub-accounts needs SUBACCOUNT:WRITE or FULL_ACCESS, and no other permission will do",
    run: expectPermission(createSubAccount)
  },
  {
    rules: [...matrix, "S-193"],
    title:
      "GET /sub-accounts needs SUBACCOUNT:READ or FULL_ACCESS, and no other permission will do",
    run: expectPermission(listSubAccounts)
  },
  {
    rules: [...matrix, "S-194"],
    title: "GET /account needs ACCOUNT:READ or FULL_ACCESS, and no other permission will do",
    run: expectPermission(getAccount)
  },
  {
    rules: [...matrix, "S-195"],
    title:
      "GET /balance-blocks needs BALANCE_BLOCK:READ or FULL_ACCESS, and no other permission will do",
    run: expectPermission(listBlocks)
  },
  {
    rules: ["S-177", "S-178"],
    title: "endpoints beyond the specification need the permission of what they do, or FULL_ACCESS",
    run: async (world) => {
      for (const endpoint of [cancelCharge, createTransfer, listTransactions, getWithdrawal]) {
        await expectPermission(endpoint)(world)
      }
    }
  },
  {
    rules: access,
    title:
      "POST /pix acts on a sub-account only with sub-account access, which no permission replaces",
    run: expectSubAccountAccess(createCharge)
  },
  {
    rules: access,
    title:
      "POST /withdrawals acts on a sub-account only with sub-account access, which no permission replaces",
    run: expectSubAccountAccess(createWithdrawal)
  },
  {
    rules: access,
    title:
      "GET /transactions/{id} acts on a sub-account only with sub-account access, which no permission replaces",
    run: expectSubAccountAccess(getTransaction)
  },
  {
    rules: access,
    title:
      "POST /transactions/{id}/refund acts on a sub-account only with sub-account access, which no permission replaces",
    run: expectSubAccountAccess(createRefund)
  },
  {
    rules: access,
    title:
      "POST /projects acts on a sub-account only with sub-account access, which no permission replaces",
    run: expectSubAccountAccess(createProject)
  },
  {
    rules: access,
    title:
      "GET /projects acts on a sub-account only with sub-account access, which no permission replaces",
    run: expectSubAccountAccess(listProjects)
  },
  {
    rules: access,
    title:
      "GET /account acts on a sub-account only with sub-account access, which no permission replaces",
    run: expectSubAccountAccess(getAccount)
  },
  {
    rules: access,
    title:
      "GET /balance-blocks acts on a sub-account only with sub-account access, which no permission replaces",
    run: expectSubAccountAccess(listBlocks)
  },
  {
    rules: ["S-168", "S-173", "S-176"],
    title: "endpoints beyond the specification act on a sub-account only with sub-account access",
    run: async (world) => {
      for (const endpoint of [cancelCharge, listTransactions, getWithdrawal]) {
        await expectSubAccountAccess(endpoint)(world)
      }
    }
  }
]
