/** Whether a text is what a document says; `…` stands for anything. */
export const isAsWritten = (written: string, text: string): boolean => {
  const parts = tidied(written)
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  return new RegExp(`^${parts.join("[\\s\\S]*")}$`).test(tidied(text))
}

const tidied = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim()

/** Commands, and what the comment right below them says that they print. */
export interface Chunk {
  /** The line of its first command. */
  readonly line: number
  readonly commands: string
  readonly output: string | undefined
}

/**
 * The commands of a `sh` block. A comment of whole lines right below a command is its output; one that comes
 * first, or after an empty line, is a remark.
 */
export const chunksOf = (code: string, line: number): ReadonlyArray<Chunk> => {
  const chunks: Array<Chunk> = []
  let commands: Array<string> = []
  let begins = 0
  let output: Array<string> = []
  let heredoc: string | undefined
  const lines = code.split("\n")
  const end = () => {
    if (commands.some((each) => each.trim() !== "" && !each.startsWith("#")))
      chunks.push({
        line: line + begins,
        commands: commands.join("\n"),
        output: output.length === 0 ? undefined : output.join("\n")
      })
    commands = []
    output = []
  }
  for (const [index, text] of lines.entries()) {
    const isComment = heredoc === undefined && text.startsWith("# ")
    const isAfterCommand = !["", "#"].includes((lines[index - 1] ?? "").trim().slice(0, 1))
    if (isComment && (output.length > 0 || isAfterCommand)) {
      output.push(text.slice(2))
      continue
    }
    if (output.length > 0) end()
    if (commands.length === 0) begins = index
    commands.push(text)
    if (heredoc === undefined) heredoc = /<<-?\s*['"]?(\w+)/.exec(text)?.[1]
    else if (text.trim() === heredoc) heredoc = undefined
  }
  end()
  return chunks
}
