import { assert } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { PspNotice, RawNotification } from "@pagora/core"
import type { Law } from "./PspLaws.ts"
import { aCharge, eventually } from "./PspLaws.ts"
import { paid } from "./PspPaymentLaws.ts"
import { PspUnderTest } from "./PspUnderTest.ts"

/** Laws of reading what the PSP sends, and what others send in its name. */
export const notificationLaws: ReadonlyArray<Law> = [
  {
    title: "a notification names the charge that was paid",
    needs: ["payments", "notifications"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const { notification, reference } = yield* aNotification
      const first = yield* psp.readNotification(notification)
      assert.deepStrictEqual(about(first), [{ _tag: "Charge", reference }])
      assert.deepStrictEqual(yield* psp.readNotification(notification), first)
    })
  },

  {
    title: "the names of headers count in any case, and other headers do not",
    needs: ["payments", "notifications"],
    proof: Effect.gen(function* () {
      const { psp } = yield* PspUnderTest
      const { notification, reference } = yield* aNotification
      const headers = Object.fromEntries(
        Object.entries(notification.headers).map(([name, value]) => [name.toUpperCase(), value])
      )
      const notices = yield* psp.readNotification({
        ...notification,
        headers: { ...headers, "X-FORWARDED-FOR": "203.0.113.7", "X-NOTHING": undefined }
      })
      assert.deepStrictEqual(about(notices), [{ _tag: "Charge", reference }])
    })
  },

  {
    title: "a notification without its headers is refused",
    needs: ["payments", "notifications", "authenticHeaders"],
    proof: Effect.gen(function* () {
      const { notification } = yield* aNotification
      yield* assertRefused({ ...notification, headers: {} }, "no headers")
    })
  },

  {
    title: "a notification with other values in its headers is refused",
    needs: ["payments", "notifications", "authenticHeaders"],
    proof: Effect.gen(function* () {
      const { notification } = yield* aNotification
      for (const change of headerChanges) {
        const headers = Object.entries(notification.headers).map(([name, value = ""]) => [
          name,
          change(value)
        ])
        yield* assertRefused(
          { ...notification, headers: Object.fromEntries(headers) },
          String(change)
        )
      }
    })
  },

  {
    title: "a notification with another body is refused",
    needs: ["payments", "notifications", "signedBodies"],
    proof: Effect.gen(function* () {
      const { notification } = yield* aNotification
      const other = yield* aNotification
      yield* assertRefused(
        { ...notification, body: other.notification.body },
        "the body of another"
      )
      for (const [what, change] of Object.entries(bodyChanges)) {
        yield* assertRefused({ ...notification, body: change(notification.body) }, what)
      }
    })
  },

  {
    title: "garbage under good headers is refused",
    needs: ["payments", "notifications"],
    proof: Effect.gen(function* () {
      const { notification } = yield* aNotification
      for (const body of garbage) yield* assertRefused({ ...notification, body }, shown(body))
    })
  },

  {
    title: "garbage is refused",
    needs: [],
    proof: Effect.gen(function* () {
      for (const body of garbage) {
        yield* assertRefused({ ...empty, body }, shown(body))
        const headers = { "content-type": "application/json" }
        yield* assertRefused({ ...empty, headers, body }, shown(body))
      }
    })
  }
]

/** What notices are about, without what they claim. */
const about = (notices: ReadonlyArray<PspNotice>) =>
  notices.map((notice) =>
    notice._tag === "Charge" ? { _tag: notice._tag, reference: notice.reference } : notice
  )

/** What says nothing. */
const empty: RawNotification = { headers: {}, body: new Uint8Array(), query: {}, path: "" }

/** Of a new charge that somebody paid. */
const aNotification = Effect.gen(function* () {
  const { notifications } = yield* PspUnderTest
  if (notifications === undefined) {
    return assert.fail("`notifications` are supported, but there is no hook `notifications`.")
  }
  const { reference } = yield* paid(yield* aCharge)
  const look = Effect.map(notifications(reference), (sent) => sent[0])
  const notification = yield* eventually(look, "the notification")
  return { notification, reference }
})

const assertRefused = Effect.fnUntraced(function* (notification: RawNotification, what: string) {
  const { psp } = yield* PspUnderTest
  const exit = yield* Effect.exit(psp.readNotification(notification))
  assert.isTrue(Exit.isFailure(exit), `It was not refused: ${what}.`)
  const refused = yield* Effect.flip(psp.readNotification(notification))
  assert.strictEqual(refused._tag, "NotificationRefused")
})

const headerChanges: ReadonlyArray<(value: string) => string> = [
  () => "",
  (value) => value.slice(0, -1),
  (value) => `${value}0`,
  (value) => value.replaceAll(/[0-9a-zA-Z]/g, (digit) => (digit === "a" ? "b" : "a"))
]

const bodyChanges: { readonly [what: string]: (body: Uint8Array) => Uint8Array } = {
  "a bit of its first byte": (body) => flipped(body, 0),
  "a bit in its middle": (body) => flipped(body, body.length >> 1),
  "a bit of its last byte": (body) => flipped(body, body.length - 1),
  "its last byte cut off": (body) => body.slice(0, -1),
  "a space at its end": (body) => Uint8Array.from([...body, 0x20]),
  "a byte order mark before it": (body) => Uint8Array.from([0xef, 0xbb, 0xbf, ...body])
}

const flipped = (body: Uint8Array, at: number): Uint8Array =>
  body.map((byte, index) => (index === at ? byte ^ 1 : byte))

const encoder = new TextEncoder()

const garbage: ReadonlyArray<Uint8Array> = [
  new Uint8Array(),
  Uint8Array.from([0, 1, 2, 3]),
  Uint8Array.from([0xff, 0xfe, 0xc3, 0x28]),
  ...["null", "true", "0", '""', "{}", "{", "[[[[[[[[", "pix=1", "<pix/>"].map((text) =>
    encoder.encode(text)
  )
]

const shown = (body: Uint8Array): string => `the bytes ${[...body].join(" ")}`
