import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

const isCode = (path: string) => /\.(ts|mts|mjs|js)$/.test(path)

const linesOf = (file: SourceFile) => file.text.split("\n")

const linesMatching = (file: SourceFile, pattern: RegExp, message: string): Array<Remark> =>
  linesOf(file).flatMap((text, index) =>
    pattern.test(text) ? [{ line: index + 1, message: `${message}: ${text.trim()}` }] : []
  )

const emptyWords = ["live", "impl", "util", "utils", "helper", "helpers", "manager", "common"]
const emptyNames = ["types.ts", "constants.ts"]

/** A file is named after the one concept it holds. */
export const fileNames = (file: SourceFile): Array<Remark> => {
  if (!isCode(file.path)) return []
  const name = file.path.slice(file.path.lastIndexOf("/") + 1)
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? []
  const word = words.find((candidate) => emptyWords.includes(candidate.toLowerCase()))
  if (word === undefined && !emptyNames.includes(name)) return []
  return [{ line: 1, message: `"${word ?? name}" says nothing: name the file after its concept` }]
}

/** A document has one title, so that it can be listed, linked and found. */
export const oneTitle = (file: SourceFile): Array<Remark> => {
  if (!file.path.endsWith(".md") || file.path.startsWith(".github/")) return []
  const prose = file.text.replace(/^(```|~~~)[\s\S]*?^\1/gm, "")
  const titles = prose.match(/^# \S.*$/gm) ?? []
  return titles.length === 1
    ? []
    : [{ line: 1, message: `a document has exactly one # title, this one has ${titles.length}` }]
}

/** What is not finished is an issue in the tracker, not a note in the text. */
export const unfinishedWork = (file: SourceFile): Array<Remark> =>
  linesMatching(file, /\b(?:TO[D]O|FIXM[E]|XX[X])\b/, "finish it, or open an issue")

/** A test that does not run says why, on its line or in its name; one that silences all others never stays. */
export const skippedTests = (file: SourceFile): Array<Remark> => {
  if (!isCode(file.path)) return []
  const test = String.raw`\b(?:it|test|describe|layer|suite)(?:\.\w+)*`
  const alone = new RegExp(String.raw`${test}\.only\b`)
  const skipped = new RegExp(
    String.raw`${test}\.(?:skip|skipIf|runIf|todo|fails)\b(?!.*(?:\/\/ *\S|skipped: ))`
  )
  return [
    ...linesMatching(file, alone, "silences every other test"),
    ...linesMatching(
      file,
      skipped,
      "say on the same line why it does not run: // reason, or (skipped: reason) in its name"
    )
  ]
}

/** Text that names a folder of somebody's machine is wrong on every other one. */
export const machinePaths = (file: SourceFile): Array<Remark> =>
  linesMatching(
    file,
    /(?<![\w.\-/~:@$}*])\/(?:home|Users|root|tmp|work|workspaces?)\/[\w.-]|\b[A-Z]:\\{1,2}Users\b/,
    "a path of one machine; use one relative to the workspace, or the system's temporary folder"
  )
