import type { PostConnection } from "./PostConnection.ts"

const limits = {
  all: 256,
  /** Of one receiver, for as long as it lets them be kept; and of one that is sent much at the moment. */
  ofReceiver: 4,
  ofBusyReceiver: 32,
  busyMillis: 1_000
} as const

interface Kept {
  readonly connection: PostConnection
  readonly sinceMillis: number
  readonly untilMillis: number
}

/** Connections that nobody uses at the moment, by where they lead. The one that was used last is used first. */
export class KeptConnections {
  private readonly kept = new Map<string, Array<Kept>>()
  private count = 0
  private sweeping: NodeJS.Timeout | undefined

  take(receiver: string): PostConnection | undefined {
    const line = this.kept.get(receiver)
    const now = performance.now()
    for (let last = line?.pop(); last !== undefined; last = line?.pop()) {
      this.count--
      if (line?.length === 0) this.kept.delete(receiver)
      if (last.connection.isOpen && last.untilMillis > now) return last.connection
      last.connection.abandon()
    }
    return undefined
  }

  keep(receiver: string, connection: PostConnection, millis: number): void {
    const line = this.kept.get(receiver) ?? []
    if (this.count >= limits.all || line.length >= limits.ofBusyReceiver) {
      connection.abandon()
      return
    }
    const sinceMillis = performance.now()
    this.kept.set(receiver, line)
    line.push({ connection, sinceMillis, untilMillis: sinceMillis + millis })
    this.count++
    this.watch()
  }

  close(): void {
    clearTimeout(this.sweeping)
    for (const { connection } of [...this.kept.values()].flat()) connection.abandon()
    this.kept.clear()
    this.count = 0
  }

  /** One timer for all, and none where nothing is kept; it keeps no process alive. */
  private watch(): void {
    this.sweeping ??= setTimeout(() => {
      this.sweeping = undefined
      this.sweep()
      if (this.count > 0) this.watch()
    }, limits.busyMillis / 2).unref()
  }

  private sweep(): void {
    const now = performance.now()
    for (const [receiver, line] of this.kept) {
      const many = line.length - limits.ofReceiver
      // The oldest come first.
      const stays = line.filter(
        ({ connection, sinceMillis, untilMillis }, index) =>
          connection.isOpen &&
          untilMillis > now &&
          (index >= many || now - sinceMillis < limits.busyMillis)
      )
      for (const one of line) if (!stays.includes(one)) one.connection.abandon()
      this.count -= line.length - stays.length
      if (stays.length === 0) this.kept.delete(receiver)
      else this.kept.set(receiver, stays)
    }
  }
}
