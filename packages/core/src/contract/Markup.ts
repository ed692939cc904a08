/** HTML that is safe to write out. */
export class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = Markup | string | number | undefined | ReadonlyArray<Markup>

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? "")

const written = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Markup) return part.text
  if (typeof part === "object") return part.map(({ text }) => text).join("")
  return escape(String(part))
}

/** A template of HTML: what is put into it is escaped, unless it is markup itself. */
export const html = (strings: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Markup =>
  new Markup(strings.map((text, index) => text + written(parts[index])).join(""))

/** Plain words with `code` and blank lines between paragraphs, as the contract writes them. */
export const prose = (words: string | undefined): ReadonlyArray<Markup> =>
  (words ?? "")
    .split("\n\n")
    .filter((paragraph) => paragraph !== "")
    .map((paragraph) => html`<p>${inline(paragraph)}</p>`)

/** The same within one line. */
export const inline = (words: string | undefined): Markup =>
  new Markup(escape(words ?? "").replaceAll(/`([^`]+)`/g, "<code>$1</code>"))
