import { answering } from "./Asked.ts"

// Loaded into each server before its own code, so that nothing of the product knows of it. A bench that is killed takes
// its servers along.
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"))
answering({ ready: () => true })
