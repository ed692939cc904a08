import { Logger } from "effect"
import { safeCause, wholeForHost } from "./SafeCause.ts"

/** The same logger, which hears of errors what may be told. Whoever logs a cause, a library too, says no more through it. */
export const guardedLogger = <Output>(
  logger: Logger.Logger<unknown, Output>
): Logger.Logger<unknown, Output> =>
  Logger.make((options) => logger.log({ ...options, cause: safeCause(options.cause) }))

/** A guarded logger of the host's own, which hears what the host's own handlers threw (decision 0079). */
export const hostLogger = <Output>(
  logger: Logger.Logger<unknown, Output>
): Logger.Logger<unknown, Output> =>
  Logger.make((options) =>
    logger.log({ ...options, cause: wholeForHost(safeCause(options.cause)) })
  )
