import type { SourceFile } from "./SourceFile.ts"

export const isDocument = ({ path }: SourceFile): boolean => path.endsWith(".md")

/** The lines of a document without what stands in fences and comments; each line stays where it was. */
export const proseLines = ({ text }: SourceFile): ReadonlyArray<string> =>
  text
    .replace(/^(```|~~~)[\s\S]*?^\1|<!--[\s\S]*?-->/gm, (part) => part.replace(/[^\n]/g, " "))
    .split("\n")

/** The lines of one `##` section with their numbers; none, where it is not there. */
export const sectionOf = (
  file: SourceFile,
  title: string
): ReadonlyArray<{ readonly line: number; readonly text: string }> => {
  const lines = proseLines(file).map((text, index) => ({ line: index + 1, text }))
  const start = lines.findIndex(({ text }) => text === `## ${title}`)
  if (start < 0) return []
  const end = lines.findIndex(({ text }, index) => index > start && text.startsWith("## "))
  return lines.slice(start + 1, end < 0 ? undefined : end)
}
