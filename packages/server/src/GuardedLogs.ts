import { guardedLogger } from "@pagora/core"
import { Logger } from "effect"

/** One JSON object a line on standard error; standard output belongs to the command's own answer. */
export const layerGuardedLogs = Logger.layer([
  guardedLogger(Logger.withConsoleError(Logger.formatJson))
])
