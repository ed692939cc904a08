import { AccountsApi } from "../accounts-api/AccountsApi.ts"
import { SubAccountsApi } from "../sub-accounts/SubAccountsApi.ts"
import { AuthApi } from "../auth/AuthApi.ts"
import { BlocksApi } from "../blocks/BlocksApi.ts"
import { ChargesApi } from "../charges/ChargesApi.ts"
import { tenantApi } from "../http/TenantApi.ts"
import { ProjectsApi } from "../projects/ProjectsApi.ts"
import { ContractApi } from "../contract/ContractApi.ts"
import { PspInboxApi } from "../psp-inbox/PspInboxApi.ts"
import { RefundsApi } from "../refunds/RefundsApi.ts"
import { TransactionsApi } from "../transactions/TransactionsApi.ts"
import { TransfersApi } from "../transfers/TransfersApi.ts"
import { WebhookEndpointsApi } from "../webhooks/WebhookEndpointsApi.ts"
import { WithdrawalsApi } from "../withdrawals/WithdrawalsApi.ts"

/** The API of tenants, whole: its table of contents. */
export class Api extends tenantApi.add(
  AuthApi,
  ChargesApi,
  WithdrawalsApi,
  TransactionsApi,
  TransfersApi,
  RefundsApi,
  AccountsApi,
  BlocksApi,
  SubAccountsApi,
  ProjectsApi,
  WebhookEndpointsApi,
  PspInboxApi,
  ContractApi
) {}
