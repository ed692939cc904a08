import type { Chance } from "../../fuzz/Chance.ts"
import type { Bank } from "../banks/Bank.ts"
import type { DoorAnswer, Door, Payers } from "../programs/Door.ts"
import type { Fields } from "../programs/Json.ts"
import { brl, centavosAt, rowsOf, textAt } from "../programs/Json.ts"
import { pspName } from "../programs/Names.ts"
import type { World } from "../World.ts"

export interface ReportedShopOptions {
  readonly world: World
  readonly door: Door
  readonly payers: Payers
  readonly processes: number
  readonly operatorKey: string
  readonly banks: ReadonlyArray<Bank>
}

/** What a request came to; undefined where nobody knows. */
type Told = DoorAnswer | undefined

/** Things that are done, once there is an account. */
const stepsMax = 45
/** Charges that are made before anything else, so that there is something to report. */
const chargesFirst = 3
const pauseMax = 6_000

const minute = 60_000
const hour = 60 * minute
/** How long after the faults a person looks at what waits: reports are decided in days, and parts of them have one more. */
const looksAt = [2, 10, 20, 40, 60, 90].map((minutes) => minutes * minute)
const looksLater = [3, 6, 12, 20, 30, 42, 50, 66, 67, 68, 90, 91, 92].map((hours) => hours * hour)

/**
 * A shop with an account of its own, whose payments are reported as fraud, and the person who deals with that. Whoever judges
 * the other shops counts what was asked for; what banks do by themselves to this one is judged by what the banks know.
 */
export class ReportedShop {
  /** Blocks that a person has approved, or tried to. */
  readonly approved = new Set<string>()
  private readonly options: ReportedShopOptions
  private readonly chance: Chance
  private readonly charges: Array<{ readonly id: string; readonly amount: number }> = []
  private account = ""
  private asked = 0
  private underWay = 0
  private isConcluding = false
  private looks: ReadonlyArray<number> = []

  constructor(options: ReportedShopOptions) {
    this.options = options
    this.chance = options.world.chance("reported shop")
  }

  /** Opens its account, however often it has to ask, and goes to work. */
  start(): void {
    this.operate("POST", "/accounts", { name: "Loja denunciada" }, "opening", (told) => {
      this.account = textAt(told?.json, "id")
      if (this.account === "") this.options.world.after(2_000, () => this.start())
      else this.work(0)
    })
  }

  /** The faults are over: from now on somebody looks now and then at what waits. */
  conclude(): void {
    const { world } = this.options
    this.isConcluding = true
    this.looks = [...looksAt, ...looksLater].map((after) => world.now() + after)
    for (const at of this.looks) world.after(at - world.now(), () => this.clear(at))
  }

  /** When somebody does something next; undefined once nobody ever will. */
  wakesAt(): number | undefined {
    return this.underWay > 0 ? this.options.world.now() : this.looks[0]
  }

  private work(step: number): void {
    const { world } = this.options
    if (step === stepsMax || this.isConcluding) return
    const does = step < chargesFirst ? this.charge : this.chance.pick(this.ways)
    does()
    world.after(1 + this.chance.below(pauseMax), () => this.work(step + 1))
  }

  private readonly charge = (): void => {
    const { banks, payers, world } = this.options
    const amount = 100 + this.chance.below(5_000)
    this.act("/pix", { amount: brl(amount) }, (told) => {
      const id = textAt(told?.json, "id")
      if (told?.status !== 201 || id === "") return
      this.charges.push({ id, amount })
      for (const { reports } of banks) reports?.about(pspName(id))
      world.after(1 + this.chance.below(5_000), () => payers.pay(pspName(id), {}))
    })
  }

  private readonly refund = (): void => {
    const { amount, id } = this.anyCharge()
    const part = this.chance.happens(0.6) ? { amount: brl(1 + this.chance.below(amount)) } : {}
    this.act(`/transactions/${id}/refund`, part)
  }

  private readonly withdraw = (): void => {
    const amount = brl(100 + this.chance.below(4_000))
    this.act("/withdrawals", { amount, pixKey: "ana@example.com", pixKeyType: "email" })
  }

  private readonly block = (): void => {
    const { id } = this.anyCharge()
    const blockType = this.chance.pick(["med", "judicial"])
    const path = `/accounts/${this.account}/balance-blocks`
    this.operate("POST", path, { transactionId: id, blockType, reason: "Denúncia" })
  }

  private readonly adjust = (): void => this.fund(100 + this.chance.below(3_000))

  /** A person answers a report, or decides it before the bank has. */
  private readonly dealWithBlock = (): void =>
    this.listBlocks((blocks) => {
      if (blocks.length === 0) return
      const block = this.chance.pick(blocks)
      const path = `/balance-blocks/${textAt(block, "id")}`
      if (this.chance.happens(0.4)) return this.answer(textAt(block, "id"))
      const isApproved = this.chance.happens(0.6)
      if (isApproved) this.approved.add(textAt(block, "id"))
      const most = centavosAt(block, "owedAmount") ?? 0
      const isPart = isApproved && most > 1 && this.chance.happens(0.4)
      const part = isPart ? { amount: brl(1 + this.chance.below(most)) } : {}
      const outcome = isApproved ? "approved" : "rejected"
      this.operate("POST", `${path}/resolve`, { outcome, ...part })
    })

  private readonly review = (): void =>
    this.listReturns((returns) => {
      if (returns.length === 0) return
      this.bear(textAt(this.chance.pick(returns), "id"), this.chance.pick(["charged", "absorbed"]))
    })

  private readonly ways: ReadonlyArray<() => void> = [
    this.charge,
    this.charge,
    this.refund,
    this.withdraw,
    this.withdraw,
    this.block,
    this.adjust,
    this.dealWithBlock,
    this.dealWithBlock,
    this.review
  ]

  /** Everything that waits for a person is decided: what the shop cannot bear, the operator does. */
  private clear(at: number): void {
    this.looks = this.looks.filter((other) => other !== at)
    if (this.account === "") return
    this.listReturns((returns) => {
      if (returns.length > 0)
        this.refundEach(this.charges, () =>
          this.approveBeside(returns, () => this.bearAll(returns))
        )
    })
    this.listBlocks((blocks) => {
      for (const block of blocks) this.endBlock(block)
    })
  }

  /** One after the other: none of those goes out of whose payment a return of the bank waits for a person. */
  private refundEach(charges: ReadonlyArray<{ readonly id: string }>, then: () => void): void {
    const [first, ...others] = charges
    if (first === undefined) return then()
    this.act(`/transactions/${first.id}/refund`, { amount: brl(1) }, () =>
      this.refundEach(others, then)
    )
  }

  /** Nor is a block approved on such a payment: who pays its payer is to be said first. */
  private approveBeside(returns: ReadonlyArray<Fields>, then: () => void): void {
    const payments = new Set(returns.map((one) => textAt(one, "e2eId")))
    this.listBlocks((blocks) => {
      const beside = blocks.filter(
        (block) =>
          payments.has(textAt(block, "e2eId")) &&
          ["awaiting_response", "defended"].includes(textAt(block, "status"))
      )
      const approve = ([first, ...others]: ReadonlyArray<Fields>): void => {
        if (first === undefined) return then()
        const id = textAt(first, "id")
        this.approved.add(id)
        const path = `/balance-blocks/${id}/resolve`
        this.operate("POST", path, { outcome: "approved" }, undefined, () => approve(others))
      }
      approve(beside)
    })
  }

  private bearAll(returns: ReadonlyArray<Fields>): void {
    for (const one of returns) {
      const id = textAt(one, "id")
      this.bear(id, "charged", (told) => {
        if (told !== undefined && told.status >= 400) this.bear(id, "absorbed")
      })
    }
  }

  /** What is collected yet is brought; a report is answered perhaps, and what none stands behind ends. */
  private endBlock(block: Fields): void {
    const id = textAt(block, "id")
    if (textAt(block, "status") === "approved") {
      const owed = centavosAt(block, "owedAmount") ?? 0
      if (owed > 0) this.fund(owed)
    } else if (textAt(block, "status") !== "rejected") {
      if (textAt(block, "referenceNumber") === "")
        this.operate("POST", `/balance-blocks/${id}/resolve`, { outcome: "rejected" })
      else if (this.chance.happens(0.3)) this.answer(id)
    }
  }

  private answer(id: string): void {
    const answer = this.chance.pick(["agree", "disagree", "disagree"])
    this.operate("POST", `/balance-blocks/${id}/answer`, { answer, text: "Vi a entrega." })
  }

  private fund(amount: number): void {
    const path = `/accounts/${this.account}/adjustments`
    this.operate("POST", path, { amount: brl(amount), reason: "Depósito" })
  }

  private bear(id: string, outcome: string, then?: (told: Told) => void): void {
    const words = { outcome, reason: "Conferido.", by: "ana" }
    this.operate("POST", `/psp-returns/${id}/resolve`, words, undefined, then)
  }

  private listReturns(then: (returns: ReadonlyArray<Fields>) => void): void {
    const path = `/reviews?account=${this.account}&limit=100`
    this.operate("GET", path, undefined, undefined, (told) =>
      then(rowsOf(told?.json).filter((row) => textAt(row, "type") === "psp_return"))
    )
  }

  private listBlocks(then: (blocks: ReadonlyArray<Fields>) => void): void {
    const path = `/accounts/${this.account}/balance-blocks?limit=100`
    this.operate("GET", path, undefined, undefined, (told) => then(rowsOf(told?.json)))
  }

  private anyCharge(): { readonly id: string; readonly amount: number } {
    return this.charges.length === 0 ? { id: "nobody", amount: 1 } : this.chance.pick(this.charges)
  }

  /** The shop asks, by the program that the service runs in. */
  private act(path: string, body: Fields, then?: (told: Told) => void): void {
    this.ask({ account: this.account }, { method: "POST", path, headers: {}, body }, then)
  }

  private operate(
    method: string,
    path: string,
    body?: Fields,
    key?: string,
    then?: (told: Told) => void
  ): void {
    const headers = { authorization: `Bearer ${this.options.operatorKey}` }
    this.ask("operator", { method, path, headers, body }, then, key)
  }

  /** Once, at any process: what is lost is done or not, and nobody here relies on it. */
  private ask(
    caller: Parameters<Door["call"]>[1],
    asked: {
      readonly method: string
      readonly path: string
      readonly headers: Readonly<Record<string, string>>
      readonly body: Fields | undefined
    },
    then: (told: Told) => void = () => undefined,
    key = `${this.asked++}`
  ): void {
    const { door, processes, world } = this.options
    const { body, headers, method, path } = asked
    const request = {
      method,
      path,
      headers: {
        ...headers,
        ...(method === "GET" ? {} : { "idempotency-key": `reported ${key}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      body: body === undefined ? undefined : JSON.stringify(body)
    }
    this.underWay++
    door.call(this.chance.below(processes), caller, request, (answer) => {
      this.underWay--
      const told = answer === "lost" ? undefined : answer
      world.note(`reported shop: ${method} ${path} ${told?.status ?? "lost"}`)
      then(told)
    })
  }
}
