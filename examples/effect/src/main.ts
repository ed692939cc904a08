import { Endpoints, memory, Pagora, Sandbox, ServiceTime, Workers } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { Duration, Effect, Layer } from "effect"
import { loggedWebhooks } from "./LoggedWebhooks.ts"
import { Tickets } from "./Tickets.ts"

const pagora = Pagora.layer({ storage: memory(), psp: sandbox(), transport: loggedWebhooks })

const program = Effect.gen(function* () {
  const tickets = yield* Tickets
  const ticket = yield* tickets.reserve("row-7-seat-12")
  yield* Effect.log(`Pay with ${ticket.pixCopyPaste}`)

  const { wallet } = ticket
  yield* (yield* Endpoints).create(ticket.account, { url: "https://festival.example/hook", wallet })
  // With `psp: sandbox()` the program can be the payer, too.
  const other = yield* tickets.reserve("row-7-seat-13")
  yield* (yield* Sandbox).pay(other.id, {})
  // Nobody pays the first one, and a day passes. Workers run by themselves; this one only shows what they do.
  yield* (yield* ServiceTime).setOffset(Duration.days(1))
  yield* (yield* Workers).drain
})

await Effect.runPromise(
  program.pipe(Effect.provide(Tickets.layer.pipe(Layer.provideMerge(pagora))))
)
