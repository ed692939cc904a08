// Compares the lists of public names with the sources, or writes them (decision 0050): `npm run names`.
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { publishedPackages, root } from "./Packages.ts"
import { publicNames } from "./PublicNames.ts"

const isWriting = process.argv.includes("--write")

for (const published of publishedPackages()) {
  const file = join(published.folder, "public-names.txt")
  const names = publicNames(published)
  if (isWriting) writeFileSync(file, names)
  else if (!existsSync(file) || readFileSync(file, "utf8") !== names) {
    process.exitCode = 1
    console.error(
      `The public names of ${published.manifest.name} are not those of ${relative(root, file)}. ` +
        "If that is meant, run: npm run names. What is no longer there breaks somebody's program: say so in a changeset."
    )
    if (existsSync(file)) console.error(difference(readFileSync(file, "utf8"), names))
  }
}

function difference(before: string, after: string): string {
  const linesOf = (text: string) => text.split("\n")
  const missing = linesOf(before).filter((line) => !linesOf(after).includes(line))
  const added = linesOf(after).filter((line) => !linesOf(before).includes(line))
  return [...missing.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)].join("\n")
}
