import type { Acknowledged } from "./Acknowledged.ts"
import type { Ask, Asked } from "./Asked.ts"
import { acknowledgement, lastAnswer } from "./Asked.ts"
import type { DoorAnswer } from "./Door.ts"
import type { Fields } from "./Json.ts"
import { rowsOf, textAt } from "./Json.ts"
import type { KnownShop } from "./Memory.ts"
import { reachesToCompare } from "./Reaches.ts"
import type { Stage } from "./Stage.ts"
import { present } from "../../Present.ts"

/** A shop as the service shows it in the end. */
export interface ShopFacts {
  readonly index: number
  /** Of all wallets. */
  readonly transactions: ReadonlyArray<Fields>
  readonly entries: ReadonlyArray<Fields>
  readonly balances: ReadonlyArray<Fields>
  readonly blocks: ReadonlyArray<Fields>
  readonly subAccounts: ReadonlyArray<Fields>
  readonly credentials: ReadonlyArray<Fields>
  readonly endpoints: ReadonlyArray<Fields>
  /** Of the wallets that can be looked at by their owner. */
  readonly projects: ReadonlyArray<Fields>
}

/** What was found by a name, and what was acknowledged under it. */
export interface Found {
  readonly asked: Asked
  readonly by: "id" | "reference" | "key"
  readonly answer: DoorAnswer | undefined
}

/** The same request for what is another's, and for what nobody has. */
export interface Reached {
  readonly what: string
  readonly foreign: string
  readonly random: string
  readonly answers: readonly [DoorAnswer | undefined, DoorAnswer | undefined]
}

export interface Facts {
  readonly shops: ReadonlyArray<ShopFacts>
  readonly accounts: ReadonlyArray<Fields>
  readonly found: ReadonlyArray<Found>
  readonly reached: ReadonlyArray<Reached>
}

/** What the shop that does nothing sees of itself: the texts of answers, by their paths. */
export interface Spectacle {
  readonly shop: string
  readonly texts: ReadonlyMap<string, string>
}

/** Something that goes on when it is through. */
type Step = (done: () => void) => void

const oneByOne = (steps: ReadonlyArray<Step>, done: () => void, place = 0): void => {
  const step = steps[place]
  if (step === undefined) done()
  else step(() => oneByOne(steps, done, place + 1))
}

const operatorAsk = (name: string, shop: number, path: string): Ask => ({
  name: `judge ${name}`,
  operation: -1,
  shop,
  wallet: "principal",
  as: "operator",
  process: 0,
  method: "GET",
  path,
  // It must be seen, whatever goes wrong.
  isSetup: true
})

const ownerAsk = (name: string, shop: KnownShop, wallet: string, path: string): Ask => {
  const credential = shop.credentials[0]
  return {
    ...operatorAsk(name, shop.index, path),
    wallet,
    as: "tenant",
    ...present({ credential })
  }
}

/** Every page of a list. */
const pages = (stage: Stage, ask: Ask, then: (rows: ReadonlyArray<Fields>) => void): void => {
  const rows: Array<Fields> = []
  const page = (cursor: string): void => {
    const path = cursor === "" ? ask.path : `${ask.path}&cursor=${cursor}`
    stage.send({ ...ask, path }, (asked) => {
      const answer = lastAnswer(asked)
      if (answer?.status !== 200) stage.violated(`${ask.path} could not be read in the end`)
      rows.push(...rowsOf(answer?.json))
      const next = textAt(answer?.json, "nextCursor")
      if (next === "") then(rows)
      else page(next)
    })
  }
  page("")
}

const lists = {
  transactions: "transactions",
  entries: "entries",
  balances: "balances",
  blocks: "balance-blocks",
  subAccounts: "sub-accounts",
  credentials: "credentials"
} as const

/** The wallets that their owner can act on now. */
const openWallets = (shop: ShopFacts): ReadonlyArray<string> => [
  "principal",
  ...shop.subAccounts
    .filter((row) => textAt(row, "status") === "approved")
    .map((row) => textAt(row, "reference"))
]

type Mutable<A> = { -readonly [Name in keyof A]: A[Name] }

const shopFacts = (stage: Stage, shop: KnownShop, then: (facts: ShopFacts) => void): void => {
  const path = `/accounts/${shop.id}`
  const facts: Mutable<ShopFacts> = {
    index: shop.index,
    transactions: [],
    entries: [],
    balances: [],
    blocks: [],
    subAccounts: [],
    credentials: [],
    endpoints: [],
    projects: []
  }
  const names = Object.keys(lists) as ReadonlyArray<keyof typeof lists>
  const readLists = names.map(
    (name): Step =>
      (done) =>
        pages(stage, operatorAsk(name, shop.index, `${path}/${lists[name]}?limit=100`), (rows) => {
          facts[name] = rows
          done()
        })
  )
  const readEndpoints: Step = (done) =>
    stage.send(operatorAsk("endpoints", shop.index, `${path}/webhook-endpoints`), (asked) => {
      facts.endpoints = rowsOf(lastAnswer(asked)?.json)
      done()
    })
  const readProjects: Step = (done) =>
    oneByOne(
      openWallets(facts).map(
        (wallet): Step =>
          (read) =>
            stage.send(ownerAsk("projects", shop, wallet, "/projects?limit=100"), (asked) => {
              facts.projects = [...facts.projects, ...rowsOf(lastAnswer(asked)?.json)]
              read()
            })
      ),
      done
    )
  oneByOne([...readLists, readEndpoints, readProjects], () => then(facts))
}

/** Of what was acknowledged as a transaction, one in so many is looked for by its names. */
const oneIn = 8
/** A key leads to what was made with it for 24 hours at least. */
const keyMax = 23 * 3_600_000
const named: ReadonlySet<string> = new Set(["charge", "withdraw", "transfer"])

const searches = (stage: Stage, record: Acknowledged, facts: ReadonlyArray<ShopFacts>) => {
  const found: Array<Found> = []
  const steps = record.asked.flatMap((asked, place): ReadonlyArray<Step> => {
    const { key, name, outcome, shop: index, wallet } = asked
    const [shop, seen] = [stage.memory.shops[index], facts[index]]
    const isOpen = seen !== undefined && openWallets(seen).includes(wallet)
    if (shop === undefined || !isOpen || outcome !== "done") return []
    if (!named.has(name) || place % oneIn !== 0) return []
    const names = {
      id: textAt(acknowledgement(asked)?.json, "id"),
      reference: textAt(asked.body, "externalReference"),
      key: stage.world.now() - asked.beganAt < keyMax ? (key ?? "") : ""
    }
    return (["id", "reference", "key"] as const)
      .filter((by) => names[by] !== "")
      .map((by) => (done) => {
        const path = `/transactions/${names[by]}`
        stage.send(ownerAsk("search", shop, wallet, path), (answered) => {
          found.push({ asked, by, answer: lastAnswer(answered) })
          done()
        })
      })
  })
  return { found, steps }
}

/** Some of all that shops can reach for of each other, and the same of nobody. */
const reachShare = 0.25
const trespasses = (stage: Stage) => {
  const reached: Array<Reached> = []
  const chance = stage.world.chance("judge: reaches")
  const some = reachesToCompare(stage.memory.shops).filter(() => chance.happens(reachShare))
  const steps = some.map(({ foreign, method, pathOf, random, shop, what }): Step => (done) => {
    const ask = { ...ownerAsk("reach", shop, "principal", pathOf(foreign)), method }
    stage.send(ask, (one) =>
      stage.send({ ...ask, path: pathOf(random) }, (other) => {
        const answers = [lastAnswer(one), lastAnswer(other)] as const
        reached.push({ what, foreign, random, answers })
        done()
      })
    )
  })
  return { reached, steps }
}

/** Reads how everything is in the end. */
export const gatherFacts = (
  stage: Stage,
  record: Acknowledged,
  then: (facts: Facts) => void
): void => {
  const shops: Array<ShopFacts> = []
  const steps = stage.memory.shops.map(
    (shop): Step =>
      (done) =>
        shopFacts(stage, shop, (facts) => {
          shops.push(facts)
          done()
        })
  )
  oneByOne(steps, () =>
    pages(stage, operatorAsk("accounts", -1, "/accounts?limit=100"), (accounts) => {
      const { found, steps: searching } = searches(stage, record, shops)
      const { reached, steps: reaching } = trespasses(stage)
      oneByOne([...searching, ...reaching], () => then({ shops, accounts, found, reached }))
    })
  )
}

const spectacle = [
  "/account",
  "/transactions?limit=100",
  "/sub-accounts",
  "/projects",
  "/balance-blocks",
  "/webhook-endpoints"
] as const

/** What those who do nothing see of themselves. */
export const seeSpectators = (
  stage: Stage,
  then: (seen: ReadonlyArray<Spectacle>) => void
): void => {
  const all: Array<Spectacle> = []
  const spectators = stage.memory.shops.filter(({ shop }) => shop.isSpectator)
  const steps = spectators.flatMap((shop) => {
    const texts = new Map<string, string>()
    all.push({ shop: shop.shop.name, texts })
    const look = (ask: Ask): Step => {
      return (done) =>
        stage.send(ask, (asked) => {
          texts.set(`${ask.wallet} ${ask.path}`, lastAnswer(asked)?.text ?? "")
          done()
        })
    }
    const wallets = ["principal", ...shop.shop.subAccounts]
    const deliveries = `/accounts/${shop.id}/deliveries`
    return [
      look(operatorAsk("spectator", shop.index, deliveries)),
      ...wallets.flatMap((wallet) =>
        spectacle.map((path) => look(ownerAsk("spectator", shop, wallet, path)))
      )
    ]
  })
  oneByOne(steps, () => then(all))
}
