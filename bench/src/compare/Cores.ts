import { spawnSync } from "node:child_process"
import { cpus } from "node:os"

/** Which core does what: servers on one, the database and the load on the other. */
export const cores = { server: 0, load: 1 } as const

/** Whether processes can be kept to one core each here; otherwise all share all cores. */
export const canPin = (): boolean =>
  cpus().length >= 2 &&
  Object.values(cores).every(
    (core) => spawnSync("taskset", ["-c", String(core), "true"]).status === 0
  )

/** Keeps this process to one core, and what it starts from now on. */
export const pinThisProcess = (core: number): void => {
  const { status } = spawnSync("taskset", ["-a", "-c", "-p", String(core), String(process.pid)])
  if (status !== 0) throw new Error(`taskset does not keep this process to core ${core}.`)
}

/** A command that runs on one core. */
export const onCore = (
  core: number | undefined,
  command: ReadonlyArray<string>
): ReadonlyArray<string> =>
  core === undefined ? command : ["taskset", "-c", String(core), ...command]
