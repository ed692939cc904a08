// Prints what failed, then `N passed, N failed` from the report of the tests and those of steps, each with its exit code, and
// exits accordingly.
// Whatever went wrong without leaving a count (no report, no tests, an exit code) counts as one failure.
import { readFileSync } from "node:fs"
import { relative } from "node:path"

const [testsFile, testsExit, ...stepReports] = process.argv.slice(2)

const read = (file, otherwise) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"))
  } catch {
    return otherwise
  }
}

/** At least one failure where the exit code says so, or where nothing passed. */
const atLeast = (passed, failed, exit) =>
  failed === 0 && (exit !== "0" || passed === 0) ? 1 : failed

const tests = read(testsFile, {})
const testsPassed = tests.numPassedTests ?? 0
const brokenFiles = (tests.testResults ?? []).filter(
  (file) => file.status === "failed" && file.assertionResults.length === 0
)
const testsFailed = atLeast(
  testsPassed,
  (tests.numFailedTests ?? 0) + brokenFiles.length,
  testsExit
)

for (const { assertionResults, message, name } of tests.testResults ?? []) {
  const file = relative(process.cwd(), name)
  const failures = assertionResults.filter(({ status }) => status === "failed")
  for (const { failureMessages, fullName } of failures) {
    console.log(`\nFAILED ${file}: ${fullName}\n${failureMessages.join("\n").slice(0, 2_000)}`)
  }
  if (message && failures.length === 0) console.log(`\nFAILED ${file}\n${message.slice(0, 2_000)}`)
}

let passed = testsPassed
let failed = testsFailed
for (let index = 0; index < stepReports.length; index += 2) {
  const [file, exit] = stepReports.slice(index, index + 2)
  const steps = read(file, [])
  const stepsPassed = steps.filter((step) => step.code === 0).length
  for (const { code, name } of steps) if (code !== 0) console.log(`\nFAILED step ${name}`)
  passed += stepsPassed
  failed += atLeast(stepsPassed, steps.length - stepsPassed, exit)
}

console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
