import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { problemKindInfo } from "@arethetypeswrong/core/problems"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import type { Tarball } from "./Tarball.ts"

/** What publint finds in a tarball, suggestions included. */
export const publintFaults = async ({ bytes, name }: Tarball): Promise<ReadonlyArray<string>> => {
  const tarball = Uint8Array.from(bytes).buffer
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  return messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`)
}

/** Only resolutions that know `exports` and ES modules count: the packages are nothing else. */
const resolutions = ["node16-esm", "bundler"]

/** What arethetypeswrong finds in a tarball: entries whose types a user's compiler would not find or believe. */
export const typeFaults = async ({ bytes, name }: Tarball): Promise<ReadonlyArray<string>> => {
  const result = await checkPackage(createPackageFromTarballData(bytes))
  if (result.types === false) return [`${name}: It has no types.`]
  return result.problems
    .filter(
      (problem) =>
        !("resolutionKind" in problem) ||
        problem.resolutionKind === undefined ||
        resolutions.includes(problem.resolutionKind)
    )
    .map((problem) => `${name}: ${problemKindInfo[problem.kind].title}: ${JSON.stringify(problem)}`)
}
