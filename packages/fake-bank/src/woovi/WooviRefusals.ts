import { Refused } from "../door/Exchange.ts"

/** Woovi answers with 400 to whatever it does not do, unless it says otherwise. */
export const refused = (detail: string, status = 400, code?: string): Refused =>
  new Refused({ status, type: "WooviRefusal", detail, ...(code === undefined ? {} : { code }) })

export const notFound = (what: string): Refused => refused(`${what} não encontrado(a)`)
