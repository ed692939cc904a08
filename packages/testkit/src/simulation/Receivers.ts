import type { OutboundRequest, SendOutcome, WebhookTransport } from "@pagora/core"
import type { Caller, World } from "./World.ts"

/** One request as a receiver has it. */
export interface ReceivedEvent {
  readonly url: string
  /** `X-Service-Webhook-ID`: the same in every attempt. */
  readonly delivery: string
  readonly body: string
  readonly at: number
  /** What the receiver answered; whether that was ever read is another matter. */
  readonly status: number
}

/** How often what becomes of a request to a receiver, of 1. */
export interface ReceiverTroubles {
  /** Nobody is there. */
  readonly away: number
  /** It takes the request and answers nothing. */
  readonly silent: number
  /** It has the request, and the answer is lost. */
  readonly unread: number
  /** It answers 500. */
  readonly broken: number
}

export const noReceiverTroubles: ReceiverTroubles = { away: 0, silent: 0, unread: 0, broken: 0 }

type Fate = keyof ReceiverTroubles | "well"

/** The transport's own deadline: then it says so. */
const deadlineMillis = 10_000

/** Those who are told: they keep every request that reaches them. */
export class Receivers {
  private readonly world: World
  private readonly troubles: ReceiverTroubles
  private readonly all: Array<ReceivedEvent> = []

  constructor(world: World, troubles: ReceiverTroubles) {
    this.world = world
    this.troubles = troubles
  }

  /** Everything that came, oldest first. */
  get received(): ReadonlyArray<ReceivedEvent> {
    return this.all
  }

  /** The door of one process to all receivers. */
  transport(process: Caller): WebhookTransport["Service"] {
    return {
      refusal: (url) => (url.startsWith("https://") ? undefined : "scheme"),
      send: (request) => process.exchange<SendOutcome>((reply) => this.take(request, reply))
    }
  }

  private take(request: OutboundRequest, reply: (outcome: SendOutcome) => void): void {
    const { world } = this
    const chance = world.chance(`receiver ${request.url}`)
    const fate = world.isFaulty() ? this.fateOf(chance.below(1_000_000) / 1_000_000) : "well"
    if (fate !== "well") world.reached(`fault: receiver ${fate}`)
    const durationMillis = chance.below(60)
    const failed = (reason: "timeout" | "connection", after: number): void =>
      world.after(after, () => reply({ _tag: "Failed", reason, durationMillis: after }))
    if (fate === "away") return failed("connection", durationMillis)
    world.after(durationMillis, () => {
      const status = fate === "broken" ? 500 : 200
      this.keep(request, fate === "silent" ? 0 : status)
      if (fate === "silent" || fate === "unread") failed("timeout", deadlineMillis - durationMillis)
      else reply({ _tag: "Answered", status, durationMillis })
    })
  }

  private keep({ body, headers, url }: OutboundRequest, status: number): void {
    const delivery = headers["X-Service-Webhook-ID"] ?? ""
    this.all.push({ url, delivery, body, at: this.world.now(), status })
    this.world.note(`receiver ${url} has ${delivery}: ${status}`)
  }

  private fateOf(drawn: number): Fate {
    let left = drawn
    for (const [fate, share] of Object.entries(this.troubles)) {
      left -= share
      if (left < 0) return fate as Fate
    }
    return "well"
  }
}
