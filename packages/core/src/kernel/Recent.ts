/** Remembers what was set or asked for last: at least `max` of them, and twice as many at most. */
export class Recent<K, V> {
  private recent = new Map<K, V>()
  private before = new Map<K, V>()
  private readonly max: number

  constructor(max: number) {
    this.max = max
  }

  get(key: K): V | undefined {
    const value = this.recent.get(key)
    if (value !== undefined) return value
    const older = this.before.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  /** The same, which is forgotten by it. */
  take(key: K): V | undefined {
    const value = this.recent.get(key) ?? this.before.get(key)
    this.recent.delete(key)
    this.before.delete(key)
    return value
  }

  set(key: K, value: V): void {
    if (this.recent.size >= this.max && !this.recent.has(key)) {
      this.before = this.recent
      this.recent = new Map()
    }
    this.recent.set(key, value)
  }
}
