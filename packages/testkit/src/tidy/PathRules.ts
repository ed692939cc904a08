import { posix } from "node:path"
import { isDocument, proseLines } from "./Prose.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

/** What a span of code names, where it names a file as we have them, a folder, or a place from the root. */
const named = (span: string, places: ReadonlySet<string>): string | undefined => {
  if (!/^\.?[\w*][\w.*-]*(\/[\w.*-]+)*\/?$/.test(span)) return undefined
  const isFile = /\.(ts|md|sql)$/.test(span)
  const [first = ""] = span.split("/")
  const isPlace = /^[^/]+\/$/.test(span) || (span.includes("/") && places.has(first))
  return isFile || isPlace ? span : undefined
}

/** What is only there once a command has made it. */
const made = new Set(["dist/", "node_modules/"])

/**
 * A document names only what is there. From the root, or from any folder that stands above it: `charges/Charge.ts` may be
 * the short form of a longer path, and `*Api.ts` of many.
 */
export const pathsExist = (files: ReadonlyArray<SourceFile>) => {
  const paths = files.map(({ path }) => path)
  const places = new Set(paths.map((path) => path.split("/")[0] ?? ""))
  // Line breaks stand between paths, so that one search finds a path in all of them.
  const all = `\n${paths.join("\n")}\n`
  const isThere = (name: string): boolean => {
    const source = name.replace(/[.+]/g, String.raw`\$&`).replaceAll("*", String.raw`[^/\n]*`)
    const [first = ""] = name.split("/")
    const begins = places.has(first) && name.includes("/") ? String.raw`\n` : String.raw`[/\n]`
    return new RegExp(`${begins}${source}${name.endsWith("/") ? "" : String.raw`[/\n]`}`).test(all)
  }

  return (file: SourceFile): Array<Remark> =>
    isDocument(file)
      ? proseLines(file).flatMap((text, index) =>
          Array.from(text.matchAll(/`([^`]+)`/g)).flatMap(([, span = ""]) => {
            const name = named(span, places)
            return name === undefined || made.has(name) || isThere(name)
              ? []
              : [{ line: index + 1, message: `there is no ${name}` }]
          })
        )
      : []
}

/** The anchor that a heading gets, as GitHub makes it. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")

/** The headings of a document, those in its comments too: an anchor cannot be told from one in a fence otherwise. */
const anchorsOf = (file: SourceFile): ReadonlySet<string> =>
  new Set(
    proseLines(file).flatMap((text) => {
      const heading = /^#{1,6}\s+(.*)$/.exec(text)?.[1]
      return heading === undefined ? [] : [anchorOf(heading)]
    })
  )

/** A link of a document leads to a file or folder of the workspace, and to a heading that stands there. */
export const linksLead = (files: ReadonlyArray<SourceFile>) => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const folders = new Set(
    files.flatMap(({ path }) => {
      const parts = path.split("/").slice(0, -1)
      return parts.map((_, index) => parts.slice(0, index + 1).join("/"))
    })
  )
  const fault = (from: SourceFile, link: string): string | undefined => {
    const [path = "", anchor] = link.split("#")
    const target = path === "" ? from.path : posix.join(posix.dirname(from.path), path)
    const file = byPath.get(target)
    if (file === undefined)
      return folders.has(target.replace(/\/$/, "")) ? undefined : `there is no ${target}`
    return anchor === undefined || !isDocument(file) || anchorsOf(file).has(anchor)
      ? undefined
      : `${target} has no heading #${anchor}`
  }

  return (file: SourceFile): Array<Remark> =>
    isDocument(file)
      ? proseLines(file).flatMap((text, index) =>
          Array.from(text.matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)).flatMap(([, link = ""]) => {
            const message = fault(file, link)
            return message === undefined ? [] : [{ line: index + 1, message }]
          })
        )
      : []
}
