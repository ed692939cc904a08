import type { Scope } from "effect"
import { Effect } from "effect"
import type { AddressInfo, Socket } from "node:net"
import { connect, createServer } from "node:net"

/** Where the next message is lost, together with its connection. */
export type Cut = "question" | "answer"

/** A wire to the database that can be cut. */
export interface CuttingProxy {
  readonly url: string
  /** Loses the next question before the server has it, or the next answer after the server has given it. */
  readonly cutNext: (cut: Cut) => void
  /** How many connections were cut. */
  readonly cuts: () => number
  /** While it is down nobody gets through. */
  readonly setDown: (isDown: boolean) => void
}

export const cuttingProxy = (url: string): Effect.Effect<CuttingProxy, never, Scope.Scope> => {
  const server = new URL(url)
  const open = new Set<Socket>()
  let next: Cut | undefined
  let cuts = 0
  let isDown = false

  const take = (cut: Cut): boolean => {
    if (next !== cut) return false
    next = undefined
    cuts++
    return true
  }
  const pass = (from: Socket, to: Socket, cut: Cut) => {
    from.on("data", (chunk) => {
      if (!take(cut)) return void to.write(chunk)
      from.destroy()
      to.destroy()
    })
    from.on("close", () => {
      to.destroy()
      open.delete(from)
    })
    from.on("error", () => to.destroy())
    open.add(from)
  }
  const proxy = createServer((client) => {
    if (isDown) return void client.destroy()
    const backend = connect(Number(server.port), server.hostname)
    pass(client, backend, "question")
    pass(backend, client, "answer")
  })
  return Effect.acquireRelease(
    Effect.callback<CuttingProxy>((resume) => {
      proxy.listen(0, "127.0.0.1", () => {
        const through = new URL(url)
        through.port = String((proxy.address() as AddressInfo).port)
        resume(
          Effect.succeed({
            url: through.href,
            cutNext: (cut: Cut) => {
              next = cut
            },
            cuts: () => cuts,
            setDown: (down: boolean) => {
              isDown = down
              if (down) for (const socket of open) socket.destroy()
            }
          })
        )
      })
    }),
    () =>
      Effect.callback<void>((resume) => {
        proxy.close(() => resume(Effect.void))
        for (const socket of open) socket.destroy()
      })
  )
}
