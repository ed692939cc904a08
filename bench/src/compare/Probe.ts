import { writeFileSync } from "node:fs"
import type { Session } from "node:inspector/promises"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { answering } from "./Asked.ts"

// Loaded into each server before its own code, so that nothing of the product knows of it. A bench that is killed takes
// its servers along.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))

/** How often it is looked at whether the event loop comes in time; what is measured has this in it. */
const resolution = 10
const delay = monitorEventLoopDelay({ resolution })
delay.enable()

// Opened only by who asks for a profile, because whatever the inspector watches is slower.
let session: Session | undefined
answering({
  watchLoop: () => delay.reset(),
  loopP99: () => Math.max(0, delay.percentile(99) / 1e6 - resolution),
  startProfile: async () => {
    const { Session } = await import("node:inspector/promises")
    session = new Session()
    session.connect()
    await session.post("Profiler.enable")
    await session.post("Profiler.start")
  },
  writeProfile: async (path) => {
    const stopped = await session?.post("Profiler.stop")
    session?.disconnect()
    writeFileSync(String(path), JSON.stringify(stopped?.profile))
  }
})
