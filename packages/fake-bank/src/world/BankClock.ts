/** The bank's own time. Everything that the bank dates, lets expire or does later goes by it. */
export interface BankClock {
  readonly now: () => Date
  /** Moves the clock forward, and does what falls due on the way, in its order. It ends when all of that has ended. */
  readonly advance: (millis: number) => Promise<void>
  /** Does something so much later; what is left when the clock stops is never done. */
  readonly later: (millis: number, task: () => void | Promise<void>) => void
  readonly stop: () => void
}

export interface BankClockOptions {
  /** What time it is at the start; the machine's, unless told. */
  readonly start?: Date
  /** Whether it moves by {@link BankClock.advance} alone. Unless told, it goes on by itself. */
  readonly stands?: boolean
}

interface Due {
  readonly at: number
  readonly task: () => void | Promise<void>
}

/** No timer of Node is longer. */
const timerMillisMax = 2_147_483_647

export const makeBankClock = ({ start, stands = false }: BankClockOptions = {}): BankClock => {
  const machine = () => (stands ? 0 : Date.now())
  let offset = (start?.getTime() ?? Date.now()) - machine()
  let agenda: ReadonlyArray<Due> = []
  let timer: NodeJS.Timeout | undefined
  let moving: Promise<void> = Promise.resolve()
  let hasStopped = false

  const millis = () => machine() + offset
  const reach = (at: number) => {
    offset += Math.max(0, at - millis())
  }

  const wake = () => {
    clearTimeout(timer)
    const [next] = agenda
    if (stands || hasStopped || next === undefined) return
    const wait = Math.min(Math.max(0, next.at - millis()), timerMillisMax)
    timer = setTimeout(() => void turn(() => goTo(millis(), false)), wait)
    timer.unref()
  }

  /** Where nobody waits, what takes long keeps nothing else from its time. */
  const goTo = async (target: number, isAwaited: boolean) => {
    for (let [next] = agenda; next !== undefined && next.at <= target; [next] = agenda) {
      if (hasStopped) return
      agenda = agenda.slice(1)
      reach(next.at)
      const work = next.task()
      if (isAwaited) await work
    }
    reach(target)
    wake()
  }

  const turn = (move: () => Promise<void>): Promise<void> => {
    const moved = moving.then(move)
    // What fails is told to whoever waits for it, and to nobody after.
    moving = moved.catch(() => undefined)
    return moved
  }

  return {
    now: () => new Date(millis()),
    advance: (by) => turn(() => goTo(millis() + by, true)),
    later: (wait, task) => {
      agenda = [...agenda, { at: millis() + wait, task }].toSorted((one, two) => one.at - two.at)
      wake()
    },
    stop: () => {
      hasStopped = true
      clearTimeout(timer)
      agenda = []
    }
  }
}
