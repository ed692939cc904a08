import { monitorEventLoopDelay } from "node:perf_hooks"
import { answering } from "./Asked.ts"

// Loaded into each server before its own code, so that nothing of the product knows of it. A bench that is killed takes
// its servers along.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))

/** How often it is looked at whether the event loop comes in time; what is measured has this in it. */
const resolution = 10
const delay = monitorEventLoopDelay({ resolution })
delay.enable()
answering({
  watchLoop: () => delay.reset(),
  loopP99: () => Math.max(0, delay.percentile(99) / 1e6 - resolution)
})
