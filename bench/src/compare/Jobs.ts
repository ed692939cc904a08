import { confirmations } from "./Confirmations.ts"
import type { Job } from "./Load.ts"
import { requests } from "./Requests.ts"
import { webhooks } from "./Webhooks.ts"

/** Everything that is measured, in the order in which it is. */
export const jobs: ReadonlyArray<Job> = [...requests, confirmations, webhooks]
