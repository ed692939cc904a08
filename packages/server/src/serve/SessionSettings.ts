import type { SessionOptions } from "@pagora/postgres"
import { Duration } from "effect"
import type { Settings } from "./Settings.ts"

/** What the settings say of sessions with PostgreSQL. */
export const sessionsOf = (
  settings: Pick<Settings, Extract<keyof Settings, `db${string}`>>
): SessionOptions => ({
  prepare: settings.dbPrepare,
  synchronousCommit: settings.dbSynchronousCommit,
  connectTimeout: Duration.seconds(settings.dbConnectSeconds),
  lockTimeout: Duration.millis(settings.dbLockMillis),
  statementTimeout: Duration.seconds(settings.dbStatementSeconds),
  answerTimeout: Duration.seconds(settings.dbAnswerSeconds),
  keepAlive: Duration.seconds(settings.dbKeepAliveSeconds),
  startTimeout: Duration.seconds(settings.dbStartSeconds)
})
