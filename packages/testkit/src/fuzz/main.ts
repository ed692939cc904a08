import { parseArgs } from "node:util"
import { startPagora } from "../RunningPagora.ts"
import type { FuzzReport, FuzzTarget } from "./Fuzz.ts"
import { fuzz } from "./Fuzz.ts"

// npm run fuzz -- --seed 7 --count 20000
// npm run fuzz -- --url http://host/v2 --operator http://host/operator/v1 --operator-key … [--sandbox …]

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    url: { type: "string" },
    operator: { type: "string" },
    "operator-key": { type: "string" },
    sandbox: { type: "string" }
  }
})
const whole = (name: "count" | "seed"): number => {
  const number = Number(values[name])
  if (Number.isSafeInteger(number) && number >= 0) return number
  console.error(`--${name} must be a whole number from 0.`)
  process.exit(2)
}
const options = {
  seed: whole("seed"),
  count: whole("count"),
  progress: (done: number) => console.error(`${done} requests`)
}

const tell = (report: FuzzReport, millis: number): void => {
  const names = Object.keys(report.statuses).sort()
  for (const name of names) {
    const counts = Object.entries(report.statuses[name] ?? {})
    console.log(`${name.padEnd(26)} ${counts.map(([status, n]) => `${status}: ${n}`).join("  ")}`)
  }
  console.log(
    `\nseed ${options.seed}, ${options.count} requests in ${(millis / 1000).toFixed(1)} s, slowest ${Math.round(report.slowestMillis)} ms`
  )
  console.log(`audit ${report.isAuditClean ? "clean" : JSON.stringify(report.audit)}`)
  console.log(`faults ${report.failures.length}`)
  for (const { answer, curl, fault, place } of report.failures) {
    console.log(`\n#${place}: ${fault}\n${curl}\n→ ${answer}`)
  }
}

const started = async (): Promise<{ target: FuzzTarget; stop: () => Promise<unknown> }> => {
  const { "operator-key": operatorKey, operator: operatorUrl, sandbox: sandboxUrl, url } = values
  if (url === undefined) {
    // Nothing is limited, and nothing but the requests is on trial.
    const pagora = await startPagora([], { PAGORA_RATE_LIMITS: "off" })
    return { target: pagora.facts, stop: pagora.stop }
  }
  if (operatorUrl === undefined || operatorKey === undefined) {
    console.error(
      "--url needs --operator and --operator-key, for an account to fuzz with and the audit."
    )
    process.exit(2)
  }
  const target = { baseUrl: url.replace(/\/$/, ""), operatorUrl, operatorKey }
  return {
    target: sandboxUrl === undefined ? target : { ...target, sandboxUrl },
    stop: () => Promise.resolve()
  }
}

const { stop, target } = await started()
const from = performance.now()
const report = await fuzz(target, options)
tell(report, performance.now() - from)
await stop()
process.exitCode = report.failures.length === 0 && report.isAuditClean ? 0 : 1
