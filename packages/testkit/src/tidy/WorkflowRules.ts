import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

const isWorkflow = (path: string) => /^\.github\/workflows\/.*\.ya?ml$/.test(path)

/** A tag can be moved to other code after we looked at it; a commit can not. */
export const actionsByHash = (file: SourceFile): Array<Remark> =>
  !isWorkflow(file.path)
    ? []
    : file.text.split("\n").flatMap((text, index) => {
        const [, action] = /^\s*(?:- )?uses:\s*([^\s#]+)/.exec(text) ?? []
        if (action === undefined || /@[0-9a-f]{40}$/.test(action)) return []
        return [{ line: index + 1, message: `name ${action} by the hash of its commit` }]
      })

/** Whoever may publish runs no code but npm's own: a dependency that was taken over could publish as us. */
export const publishingApart = (file: SourceFile): Array<Remark> => {
  if (!isWorkflow(file.path)) return []
  const lines = file.text.split("\n")
  const jobs = lines.indexOf("jobs:")
  const starts = lines.flatMap((text, index) =>
    (index > jobs ? /^ {0,2}[\w-]+:/ : /^[\w-]+:/).test(text) ? [index] : []
  )
  return starts.flatMap((start, index) => {
    const part = lines.slice(start, starts[index + 1])
    if (!part.some((text) => /^\s*id-token:\s*write/.test(text))) return []
    if (start < jobs) {
      return [{ line: start + 1, message: "only the job that publishes may have id-token: write" }]
    }
    return part.flatMap((text, offset) =>
      /actions\/checkout@|\b(?:npm (?:run|ci|install|test|exec)|npx|pnpm|node) /.test(text)
        ? [{ line: start + offset + 1, message: "runs other code beside the right to publish" }]
        : []
    )
  })
}
