import { HttpApi } from "effect/http-api"

/**
 * The API of tenants, still empty. Handlers are made for it with the one group that they answer; `app/Api.ts` adds all
 * groups, so that no slice has to know the others.
 */
export const tenantApi = HttpApi.make("pagora")
