import { readDocuments, runDocuments } from "./Documents.ts"

// Runs the documents whose paths begin with one of the arguments, or all (decision 0051).
const asked = process.argv.slice(2)
const documents = readDocuments().filter(
  ({ path }) => asked.length === 0 || asked.some((prefix) => path.startsWith(prefix))
)
if (documents.length === 0) {
  console.error(`No document begins with ${asked.join(" or ")}.`)
  process.exit(1)
}

const began = Date.now()
let blocks = 0
const faults = await runDocuments(documents, ({ done, faults: found, line, path, seconds }) => {
  blocks++
  const mark = found.length === 0 ? "ok  " : "FAIL"
  console.log(`${mark}  ${path}:${line}  ${done}  ${seconds.toFixed(1)} s`)
})
for (const { line, message, path } of faults) {
  const end = message.length > 1_500 ? `${message.slice(0, 1_500)} …` : message
  console.error(`\n${path}:${line}: ${end}`)
}
const took = ((Date.now() - began) / 1_000).toFixed(0)
console.log(
  `\n${blocks} blocks of ${documents.length} documents, ${faults.length} faults, ${took} s`
)
process.exit(faults.length === 0 ? 0 : 1)
