import type { Fault, IndoorRequest, WrittenAnswer } from "@pagora/fake-bank"
import type { Exchanged } from "@pagora/psp-bacen"
import type { BankAgenda, BankOptions, BankRecords, World } from "@pagora/testkit/simulation"
import { aWhile } from "@pagora/testkit/simulation"
import { garbled } from "./Garbled.ts"
import type { Chance, WireFault, WireKind } from "./WireFaults.ts"
import type { WireRates } from "./WireFaults.ts"
import { drawLineTheme, isMistold, isOrder, makeDrawing, noRates, wireRates } from "./WireFaults.ts"
import type { WireWords } from "./WireFar.ts"
import type { WireSubject } from "./WireKinds.ts"
import { subjectOf } from "./WireKinds.ts"

/** The bank at the other end. */
export interface FarEnd {
  readonly ask: (request: IndoorRequest) => Promise<WrittenAnswer | undefined>
  readonly faults: { readonly set: (faults: ReadonlyArray<Fault>) => void }
}

export interface LineOptions {
  readonly world: World & { readonly hold: () => () => void }
  readonly bank: BankOptions
  readonly agenda: BankAgenda
  readonly records: BankRecords
  readonly farEnd: FarEnd
  /** How the bank says what goes wrong. */
  readonly words: WireWords
  /** Whether anything can go wrong. */
  readonly isFaulty: () => boolean
  /** So long after it was sent a request may arrive, and what it has made may not be found. */
  readonly lateMax: number
  /** Whoever asked this is told something else than what is so. */
  readonly mistold: (asked: WireSubject) => void
  /** Whether what is made now is not found for a while. */
  readonly hides: () => boolean
}

type Reply = (exchanged: Exchanged) => void

/** The connections between all processes and one bank, without connections. */
export interface Line {
  readonly take: (request: IndoorRequest, reply: Reply) => void
}

/** One request on its way. */
interface Passage extends WireSubject {
  readonly request: IndoorRequest
  readonly chance: Chance
  /** It arrives, and the bank answers; a fault of the bank's own may strike it. */
  readonly arrive: (then: (told: WrittenAnswer | undefined) => void, fault?: Fault) => void
  readonly answer: (told: WrittenAnswer | undefined) => void
  readonly silence: () => void
  readonly notSent: () => void
}

/** How old an answer can be. */
const ageMax = 10 * 60_000

export const makeLine = (options: LineOptions): Line => {
  const { bank, farEnd, isFaulty, records, world } = options
  const draw = makeDrawing(ratesOf(world, bank))
  const suffer = makeSufferings(options)
  const memory = makeMemory(world)
  const cover = makeCover(options)

  const serve = (
    request: IndoorRequest,
    then: (told: WrittenAnswer | undefined) => void,
    fault?: Fault
  ): void => {
    // The bank answers by promises, and no time goes by meanwhile.
    const release = world.hold()
    farEnd.faults.set(fault === undefined ? [] : [fault])
    void farEnd.ask(request).then((told) => {
      then(told)
      release()
    })
  }

  return {
    take: (request, reply) => {
      const asked = subjectOf(request)
      if (asked === undefined) throw new Error(`Nobody knows ${request.method} ${request.url}.`)
      const { kind, subject } = asked
      const chance = world.chance(`${bank.name}: line of ${kind}`)
      const sentAt = world.now()
      // Each way takes 1 to 100 ms.
      const way = (): number => 1 + chance.below(100)
      const silence = (): void => {
        if (chance.happens(0.5)) return
        world.after(aWhile(chance, 1_000, 9_000), () =>
          reply({ _tag: "Lost", detail: "ECONNRESET" })
        )
      }
      const fault = isFaulty() ? draw(chance, kind, subject) : undefined
      records.note(`${kind} ${subject} ${fault ?? "passes"}`)
      const passage: Passage = {
        kind,
        subject,
        request,
        chance,
        arrive: (then, strikes) => {
          const arrival = () => {
            const strike = cover(asked, sentAt) ?? strikes
            const keep = (told: WrittenAnswer | undefined) => {
              if (told !== undefined && strike === undefined) memory.keep(kind, request, told)
              then(told)
            }
            serve(request, keep, strike)
          }
          world.after(way(), arrival)
        },
        answer: (told) =>
          told === undefined ? silence() : world.after(way(), () => reply(answeredBy(told))),
        silence,
        notSent: () => reply({ _tag: "NotSent", detail: "ECONNREFUSED" })
      }
      if (fault === undefined) return passage.arrive(passage.answer)
      if (!suffer(fault, passage, memory)) return
      world.reached(`fault: line ${fault} of ${kind}`)
      if (isMistold(fault)) options.mistold(asked)
    }
  }
}

const ratesOf = (world: World, { faults, name }: BankOptions): WireRates => {
  const rates = wireRates(world.chance(`${name}: how its line is`), faults)
  const theme = faults?.calls && drawLineTheme(world.chance(`${name}: what its line is about`))
  return theme === undefined ? () => rates : (kind) => theme[kind] ?? noRates
}

/** What was just made and is not found yet: the bank looks elsewhere than where it writes. */
const makeCover = ({ hides, isFaulty, lateMax, words, world }: LineOptions) => {
  const hidden = new Map<string, number>()
  const known = new Set<string>()
  const chance = world.chance("lines: what is found")
  const isHidden = (subject: string) => (hidden.get(subject) ?? 0) > world.now()
  return (asked: WireSubject, sentAt: number): Fault | undefined => {
    const { kind, subject } = asked
    const hiding = isFaulty() ? words.hides(asked, isHidden) : undefined
    if (hiding !== undefined || isLook(kind) || known.has(subject) || kind === "token")
      return hiding
    known.add(subject)
    const left = sentAt + lateMax - world.now()
    if (left > 100 && hides()) hidden.set(subject, world.now() + aWhile(chance, 100, left))
    return undefined
  }
}

/** What tells of something that was made under a name of ours. */
const isLook = (kind: WireKind): boolean =>
  kind.startsWith("find") && kind !== "findPayment" && kind !== "findBalance"

const answeredBy = ({ headers, status, text }: WrittenAnswer): Exchanged => ({
  _tag: "Answered",
  status,
  retryAfter: headers["retry-after"],
  text
})

type Page = Pick<Fault, "kind" | "status" | "body">

/** What breaks, or whoever has not waited for it, says so in one of these ways. */
const failuresOf = ({ failures }: WireWords): ReadonlyArray<Page> => [
  { kind: "html", status: 502 },
  { kind: "status", status: 504 },
  ...failures
]

/** What a page of whoever stands between says. */
const pages: ReadonlyArray<Page> = [
  { kind: "html", status: 404 },
  { kind: "html", status: 200 },
  { kind: "xml", status: 500 },
  { kind: "status", status: 503 },
  {
    kind: "status",
    status: 404,
    body: { statusCode: 404, error: "Not Found", message: "no route" }
  }
]

/** The same from whoever stands before the bank, and has not waited for it. */
const pageOf = ({ body, status = 502 }: Page): WrittenAnswer => ({
  status,
  headers: {},
  text: body === undefined ? "<html><h1>Gateway Timeout</h1></html>" : JSON.stringify(body)
})

/** What each fault does to a request. False where there was nothing to do, and the truth was told. */
const makeSufferings = ({ agenda, lateMax, words }: LineOptions) => {
  const failures = failuresOf(words)
  const all = [...failures, ...pages]
  return (fault: WireFault, passage: Passage, memory: Memory): boolean => {
    const { answer, arrive, chance, kind, notSent, request, silence, subject } = passage
    switch (fault) {
      case "lost":
        if (chance.happens(0.5)) notSent()
        else silence()
        return true
      case "late":
      case "abandoned":
        agenda.later(1_000 + chance.below(lateMax), `${kind} ${subject} arrives`, () =>
          arrive(() => undefined)
        )
        if (fault === "late") silence()
        else answer(pageOf(chance.pick(failures)))
        return true
      case "doubled":
        arrive((first) => arrive((second) => answer(chance.happens(0.5) ? first : second)))
        return true
      case "untold":
        arrive(silence)
        return true
      case "broken":
        arrive(answer, { ...chance.pick(all), after: true })
        return true
      case "stopped":
        arrive(answer, chance.pick(all))
        return true
      case "refused":
        arrive(answer, { kind: "refuse", status: chance.pick([400, 403, 422]) })
        return true
      case "crowded":
        arrive(answer, { kind: "tooMany", retryAfterSeconds: chance.pick([1, 20, 60]) })
        return true
      case "expired": {
        const refuse = () => arrive(answer, { kind: "expiredToken" })
        // Of what something between has sent twice, the second may find that its token has ended, and that is told of both.
        if (words.isByToken && isOrder(kind) && chance.happens(0.5)) arrive(refuse)
        else refuse()
        return true
      }
      case "garbage":
        arrive((told) => answer(told && garbled(chance, told)))
        return true
      case "slow":
        arrive((told) =>
          agenda.later(aWhile(chance, 500, 14_000), `answer to ${kind}`, () => answer(told))
        )
        return true
      case "another":
        if (isNameless(kind, request)) return instead(passage, () => undefined)
        return instead(passage, () => memory.another(chance, kind, request))
      case "older":
        return instead(passage, () => memory.older(chance, request))
    }
  }
}

/** Inter's answer to an order has no name of ours in it, nor has Woovi's list of a charge's returns that of the charge: nobody could tell. */
const isNameless = (kind: WireKind, { url }: IndoorRequest): boolean =>
  kind === "findReturnsOfCharge" || (kind === "sendPayout" && url.includes("/banking/"))

/** It is done, and something else is told than what came of it. */
const instead = ({ answer, arrive }: Passage, other: () => WrittenAnswer | undefined): boolean => {
  const told = other()
  arrive((truth) => answer(told ?? truth))
  return told !== undefined
}

interface Memory {
  readonly keep: (kind: WireKind, request: IndoorRequest, told: WrittenAnswer) => void
  readonly another: (
    chance: Chance,
    kind: WireKind,
    request: IndoorRequest
  ) => WrittenAnswer | undefined
  readonly older: (chance: Chance, request: IndoorRequest) => WrittenAnswer | undefined
}

interface Kept {
  readonly at: number
  readonly url: string
  readonly body: string | undefined
  readonly told: WrittenAnswer
}

/** The last few answers of each kind, for those that are mixed up. */
const makeMemory = (world: World): Memory => {
  const answers = new Map<WireKind, ReadonlyArray<Kept>>()
  const questions = new Map<string, ReadonlyArray<Kept>>()
  return {
    keep: (kind, { body, method, url }, told) => {
      if (told.status >= 300) return
      const kept = { at: world.now(), url, body, told }
      answers.set(kind, [...(answers.get(kind) ?? []), kept].slice(-8))
      if (method === "GET") questions.set(url, [...(questions.get(url) ?? []), kept].slice(-8))
    },
    another: (chance, kind, { body, url }) => {
      const others = (answers.get(kind) ?? []).filter((one) => one.url !== url || one.body !== body)
      return others.length === 0 ? undefined : chance.pick(others).told
    },
    older: (chance, { url }) => {
      const before = (questions.get(url) ?? []).filter(({ at }) => at > world.now() - ageMax)
      return before.length === 0 ? undefined : chance.pick(before).told
    }
  }
}
