interface Deadline {
  readonly atMillis: number
  readonly over: () => void
}

/** Tells each who is not done in time. All have the same time, so one timer watches over the oldest of them. */
export class Deadlines {
  private readonly millis: number
  // Whoever began first is first over.
  private readonly watched = new Set<Deadline>()
  private timer: NodeJS.Timeout | undefined

  constructor(millis: number) {
    this.millis = millis
  }

  /** Calls `over` when the time is over, unless what is answered is called before. */
  begin(over: () => void): () => void {
    const deadline: Deadline = { atMillis: performance.now() + this.millis, over }
    this.watched.add(deadline)
    this.timer ??= setTimeout(this.look, this.millis)
    return () => {
      this.watched.delete(deadline)
      if (this.watched.size > 0) return
      // No timer keeps a process alive in which nothing runs.
      clearTimeout(this.timer)
      this.timer = undefined
    }
  }

  private readonly look = (): void => {
    this.timer = undefined
    for (const deadline of this.watched) {
      const left = deadline.atMillis - performance.now()
      if (left > 0) {
        this.timer = setTimeout(this.look, Math.ceil(left))
        return
      }
      this.watched.delete(deadline)
      deadline.over()
    }
  }
}
