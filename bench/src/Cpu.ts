import { readFileSync } from "node:fs"

/** Clock ticks a second in /proc on every Linux. */
const ticks = 100

/** User and system time of a process so far. */
export const cpuMillis = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticks
}

/** What a process has in memory. */
export const residentMegabytes = (pid: number): number => {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kilobytes) / 1_024
}
