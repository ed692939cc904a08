import type { World } from "../World.ts"
import { Acknowledged } from "./Acknowledged.ts"
import type { Ask, Asked } from "./Asked.ts"
import type { Door, Payers } from "./Door.ts"
import { gatherFacts, seeSpectators } from "./Facts.ts"
import type { Spectacle } from "./Facts.ts"
import { violationsOf } from "./Judge.ts"
import { Memory } from "./Memory.ts"
import { openShops } from "./OpenShops.ts"
import type { Operation, OperationKind, Program } from "./Operation.ts"
import { lookAfter, looks } from "./PerformLooks.ts"
import { hands, money } from "./PerformMoney.ts"
import { rules } from "./PerformRules.ts"
import { webhooks } from "./PerformWebhooks.ts"
import { repeatOf, someToRepeat } from "./Repeats.ts"
import { Sender } from "./Sender.ts"
import type { Performer, Performers, Stage } from "./Stage.ts"

const performers: Performers<OperationKind> = {
  ...money,
  ...hands,
  ...rules,
  ...webhooks,
  ...looks
}

/** How often a shop's request is a call of the program itself, of 1; and what is about tokens. */
const byMethods = 0.15
const byTokenOnly = /^(mistake|look revoked)/

/** How often somebody looks at once at what he was told, of 1. */
const looksAfter = 0.3

export interface ClientOptions {
  readonly world: World
  readonly door: Door
  readonly payers: Payers
  readonly program: Program
  /** How many processes the door leads to. */
  readonly processes: number
  readonly operatorKey: string
  /** Whether the door leads to the methods of `Pagora.start`, too. */
  readonly hasMethods?: boolean
}

/** All clients of a program: they do what it says, remember what they were told, and judge it in the end. */
export class Client {
  readonly record: Acknowledged
  readonly memory: Memory
  private readonly options: ClientOptions
  private readonly sender: Sender
  private readonly stage: Stage
  private before: ReadonlyArray<Spectacle> = []

  constructor(options: ClientOptions) {
    const { payers, program, world } = options
    this.options = options
    this.memory = new Memory(program.shops)
    this.record = new Acknowledged(world, this.memory)
    this.sender = new Sender({ ...options, record: this.record })
    this.stage = {
      world,
      payers,
      memory: this.memory,
      send: (ask, settled) => this.send(ask, settled),
      violated: (violation) => this.record.violated(violation)
    }
  }

  /**
   * Opens the shops, then does one operation after the other, each at its time. `ended` when the last has begun, and
   * nothing is under way but what was given up until the faults are over.
   */
  start(ended: () => void): void {
    openShops(this.stage, () =>
      seeSpectators(this.stage, (before) => {
        this.before = before
        this.next(0, () => this.sender.whenIdle(ended))
      })
    )
  }

  /** The faults are over: what was given up is asked again, and some of what was answered. `settled` when nothing is open any more. */
  conclude(settled: () => void): void {
    this.record.calm()
    this.repeatSome()
    this.sender.resume()
    this.sender.whenIdle(settled)
  }

  /** When a client does something next that is under way. */
  wakesAt(): number {
    return this.sender.wakesAt()
  }

  /** Holds everything that was told against how it is. To be asked for when nothing is under way. */
  judge(done: (violations: ReadonlyArray<string>) => void): void {
    seeSpectators(this.stage, (after) =>
      gatherFacts(this.stage, this.record, (facts) => {
        const { before, record } = this
        const { asked, sightings } = record
        done([...record.violations, ...violationsOf({ asked, sightings, facts, before, after })])
      })
    )
  }

  private next(place: number, ended: () => void): void {
    const { program, world } = this.options
    const operation = program.operations[place]
    if (operation === undefined) return ended()
    const now = () => {
      this.perform(operation)
      this.next(place + 1, ended)
    }
    // What happens in one turn is not told to the world in between.
    if (operation.after === 0) now()
    else world.after(operation.after, now)
  }

  private repeatSome(): void {
    const { memory, options, record } = this
    const now = options.world.now()
    for (const first of someToRepeat(record.asked, options.world.chance("client: repeats"))) {
      const { operation, shop } = first
      const ask = repeatOf(first, memory.shops[shop], { now, operation })
      if (ask !== undefined) this.send(ask)
    }
  }

  /** Some of what a shop may do is done by a method of `Pagora.start`, in the program that the service runs in. */
  private byMethod(ask: Ask): Ask {
    const { memory, options } = this
    const account = memory.shops[ask.shop]?.id ?? ""
    const mayBe =
      options.hasMethods === true &&
      ask.as === "tenant" &&
      ask.credential?.isFull === true &&
      !byTokenOnly.test(ask.name)
    if (!mayBe || account === "" || ask.authorization !== undefined) return ask
    if (!options.world.chance("client: methods").happens(byMethods)) return ask
    options.world.reached("client: a method of the program")
    return { ...ask, inProcess: account }
  }

  /** Some look at once at what they were told: where they were told it, or elsewhere. */
  private lookAfter(asked: Asked): void {
    const { options, record } = this
    const chance = options.world.chance("client: looks")
    const look = lookAfter(asked)
    if (look === undefined || !chance.happens(looksAfter)) return
    const process = chance.happens(0.5) ? look.process : chance.below(options.processes)
    this.sender.send({ ...look, process }, ({ told }) => {
      const answer = told.at(-1)?.answer
      if (answer !== undefined && answer !== "lost" && answer.status === 404)
        record.violated(
          `${asked.name} ${asked.operation} was acknowledged, and then ${look.path} was not found`
        )
    })
  }

  private perform(operation: Operation): void {
    const shop = this.memory.shops[operation.shop]
    if (shop === undefined) return
    this.options.world.reached(`operation: ${operation.kind}`)
    const performer = performers[operation.kind] as Performer<OperationKind>
    performer(operation as never, this.stage, shop)
  }

  private send(ask: Ask, settled: (asked: Asked) => void = () => undefined): void {
    const { memory } = this
    const asked = this.sender.send(this.byMethod(ask), (ended) => {
      settled(ended)
      this.lookAfter(ended)
    })
    const { key, name, operation } = ask
    const isFirst = key !== undefined && operation >= 0 && !memory.sent.has(operation)
    if (isFirst && !name.startsWith("mistake")) memory.sent.set(operation, asked)
  }
}
