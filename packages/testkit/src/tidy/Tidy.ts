import { boundaries } from "./BoundaryRules.ts"
import { decisionsNamed } from "./DecisionRules.ts"
import { queuesTold } from "./GlossaryRules.ts"
import { effectStability, servicesStayAbove } from "./LayerRules.ts"
import { linksLead, pathsExist } from "./PathRules.ts"
import { roomsInOrder } from "./RoomRules.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Stability } from "./Stability.ts"
import { fileNames, machinePaths, oneTitle, skippedTests, unfinishedWork } from "./TextRules.ts"
import { walks } from "./WalkRules.ts"
import { actionsByHash, publishingApart } from "./WorkflowRules.ts"

/** One thing that is not as it should be, and what to do about it. */
export interface Finding {
  readonly rule: string
  readonly path: string
  readonly line: number
  readonly message: string
}

/** What a rule reports of one file; the name and the path are added by {@link tidy}. */
export type Remark = Omit<Finding, "rule" | "path">

const perFile: Record<string, (file: SourceFile) => Iterable<Remark>> = {
  "file-names": fileNames,
  "one-title": oneTitle,
  "unfinished-work": unfinishedWork,
  "skipped-tests": skippedTests,
  "machine-paths": machinePaths,
  "actions-by-hash": actionsByHash,
  "publishing-apart": publishingApart
}

/** Checks what the linter cannot express; an empty answer means that the workspace is tidy. */
export const tidy = (
  files: ReadonlyArray<SourceFile>,
  stability: Stability
): ReadonlyArray<Finding> => {
  const rules: Record<string, (file: SourceFile) => Iterable<Remark>> = {
    ...perFile,
    "effect-stability": (file) => effectStability(file, stability),
    "services-stay-above": servicesStayAbove(files),
    "rooms-in-order": roomsInOrder(files),
    boundaries: boundaries(files),
    "paths-exist": pathsExist(files),
    "links-lead": linksLead(files),
    "queues-told": queuesTold(files),
    walks: walks(files),
    "decisions-named": decisionsNamed(files)
  }
  return files.flatMap((file) =>
    Object.entries(rules).flatMap(([rule, check]) =>
      Array.from(check(file), (remark) => ({ rule, path: file.path, ...remark }))
    )
  )
}
