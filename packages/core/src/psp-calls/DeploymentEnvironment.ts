import type { PspCredentialId } from "../kernel/Ids.ts"
import type { Environment, PspDirectory } from "../ports/Psp.ts"

/**
 * The environment of what was begun at a PSP, which may have gone meanwhile: all PSPs of a deployment are of one, so that any
 * that is left tells it. Where none is left it is taken for real.
 */
export const environmentAt = (
  { all, default: usual, find }: PspDirectory["Service"],
  psp: PspCredentialId
): Environment => {
  for (const id of [psp, usual, ...all]) {
    const environment = find(id)?.environment
    if (environment !== undefined) return environment
  }
  return "production"
}
