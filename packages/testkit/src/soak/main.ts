import { parseArgs } from "node:util"
import { soak } from "./Soak.ts"
import { usageLines } from "./UsageJudge.ts"

// npm run soak -- --minutes 30 --seed 7
// npm run soak -- --minutes 1 --plant     must end with 1: something stored was lost

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    clients: { type: "string", default: "8" },
    plant: { type: "boolean", default: false }
  }
})
const whole = (name: "minutes" | "seed" | "clients", least: number): number => {
  const number = Number(values[name])
  if (Number.isSafeInteger(number) && number >= least) return number
  console.error(`--${name} must be a whole number from ${least}.`)
  process.exit(2)
}

const begun = performance.now()
const seconds = () => `${((performance.now() - begun) / 1000).toFixed(0).padStart(5)} s`
const options = {
  minutes: whole("minutes", 1),
  seed: whole("seed", 0),
  clients: whole("clients", 1),
  plant: values.plant,
  progress: (sentence: string) => console.error(`${seconds()}  ${sentence}`)
}

const { acknowledged, answers, asked, events, given, holes, stored, usages, violations } =
  await soak(options)
for (const [name, count] of [...answers].sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`${name.padEnd(32)} ${count}`)
for (const [name, count] of Object.entries(stored).sort(([a], [b]) => (a < b ? -1 : 1)))
  console.log(`stored ${name.padEnd(25)} ${count}`)
console.log(
  `\n${["at first", "half-way", "in the end"]
    .map((word) => word.padStart(12))
    .join("")
    .padStart(69)}`
)
for (const line of usageLines(usages)) console.log(line)
console.log(
  `\nseed ${options.seed}, ${options.minutes} minutes, ${holes} black holes, ${events} events`
)
console.log(`asked for ${asked}, acknowledged ${acknowledged}, without an answer for good ${given}`)
console.log(`violations ${violations.length}`)
for (const violation of violations.slice(0, 50)) console.log(`- ${violation}`)
process.exitCode = violations.length === 0 ? 0 : 1
