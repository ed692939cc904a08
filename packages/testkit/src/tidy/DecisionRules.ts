import { isDocument, proseLines, sectionOf } from "./Prose.ts"
import { page } from "./RoomRules.ts"
import type { SourceFile } from "./SourceFile.ts"
import type { Remark } from "./Tidy.ts"

const folder = "docs/decisions/"

interface Decision {
  readonly path: string
  readonly name: string
  readonly number: string
  readonly title: string
}

const decisionOf = ({ path, text }: SourceFile): ReadonlyArray<Decision> => {
  const [name = "", number = ""] = /^(\d{4})-[a-z0-9-]+\.md$/.exec(path.slice(folder.length)) ?? []
  const title = /^# \d{4}: (.+)$/m.exec(text)?.[1] ?? ""
  return path.startsWith(folder) && number !== "" ? [{ path, name, number, title }] : []
}

/** Where code names a decision, so that whoever asks why finds the answer. Tests may, and do not count. */
const isCode = ({ path }: SourceFile): boolean =>
  /^(packages\/[^/]+\/src|tools|scripts|bench|\.github|\.ci)\/|^[^/]+$/.test(path) &&
  /\.(ts|mts|mjs|js|json|ya?ml|sql)$|\/run$/.test(path) &&
  !/\.test(-data)?\.ts$/.test(path)

const phrase = /\bdecisions? (\d{4}(?:(?:, | and |, and )\d{4})*)/g

/** The numbers that a line names, as `decision 0003`, as `decisions 0003 and 0004`, by a path, or as the text of a link. */
const numbersIn = (text: string): ReadonlyArray<string> => [
  ...Array.from(text.matchAll(phrase)).flatMap(([, list = ""]) => list.match(/\d{4}/g) ?? []),
  ...Array.from(text.matchAll(/\bdecisions\/(\d{4})-/g), ([, number = ""]) => number),
  ...Array.from(text.matchAll(/\[(\d{4})\]\(/g), ([, number = ""]) => number)
]

/** Comments of code may go on in the next line. */
const linesOf = (file: SourceFile): ReadonlyArray<string> =>
  isDocument(file) ? proseLines(file) : file.text.split("\n")

/** What is wrong with the numbers that a file names. */
const wronglyNamed = (file: SourceFile, numbers: ReadonlySet<string>): Array<Remark> =>
  linesOf(file).flatMap((text, index) => {
    const line = index + 1
    const gone = new Set(numbersIn(text).filter((number) => !numbers.has(number)))
    const links = isDocument(file) ? text : ""
    const other = Array.from(links.matchAll(/\[(?:decision )?(\d{4})\]\([^)]*?(\d{4})-[^)]*\)/g))
    return [
      ...Array.from(gone, (number) => ({ line, message: `there is no decision ${number}` })),
      ...other.flatMap(([, shown, linked]) =>
        shown === linked ? [] : [{ line, message: `${shown} leads to decision ${linked}` }]
      )
    ]
  })

/**
 * Decisions are those that a reader of the code needs: each is named by code, stands in the table of the page, and has the
 * number after the one before it. Whoever names one names one that is there.
 */
export const decisionsNamed = (files: ReadonlyArray<SourceFile>) => {
  const decisions = files.flatMap(decisionOf).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const numbers = new Set(decisions.map(({ number }) => number))
  const named = new Set(files.filter(isCode).flatMap((file) => linesOf(file).flatMap(numbersIn)))

  const wrongWith = (decision: Decision, text: string): Array<Remark> => {
    const { number, path, title } = decision
    const expected = String(decisions.findIndex((other) => other.path === path) + 1)
    const remarks = [
      number === expected.padStart(4, "0")
        ? []
        : [`numbers have no gaps: it is ${expected.padStart(4, "0")}`],
      text.startsWith(`# ${number}: ${title}\n`) ? [] : [`its title begins with # ${number}: `],
      named.has(number) ? [] : ["no code names it: name it where code rests on it, or fold it in"]
    ]
    return remarks.flat().map((message) => ({ line: 1, message }))
  }

  const wrongInTable = (file: SourceFile): Array<Remark> => {
    const rows = new Map(sectionOf(file, "Decisions").map(({ line, text }) => [text, line]))
    const wanted = new Set(
      decisions.map(({ name, number, title }) => `| [${number}](decisions/${name}) | ${title} |`)
    )
    return [
      ...[...wanted]
        .filter((row) => !rows.has(row))
        .map((row) => ({ line: 1, message: `the table of decisions lacks ${row}` })),
      ...[...rows]
        .filter(([row]) => /^\| \[\d/.test(row) && !wanted.has(row))
        .map(([row, line]) => ({ line, message: `no decision is called so: ${row}` }))
    ]
  }

  return (file: SourceFile): Array<Remark> => [
    ...decisionOf(file).flatMap((decision) => wrongWith(decision, file.text)),
    ...(file.path === page && decisions.length > 0 ? wrongInTable(file) : []),
    ...(decisions.length > 0 ? wronglyNamed(file, numbers) : [])
  ]
}
