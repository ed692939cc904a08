import { assert } from "@effect/vitest"
import { setTimeout as sleep } from "node:timers/promises"
import type { MountLaw, MountUnderTest } from "./MountUnderTest.ts"
import { charge, post } from "./RawFraming.ts"
import type { RawCase } from "./RawFraming.ts"
import { rawRequests } from "./RawRequests.ts"

const many = <A>(count: number, each: (index: number) => Promise<A>): Promise<ReadonlyArray<A>> =>
  Promise.all(Array.from({ length: count }, (_, index) => each(index)))

const goodFrom =
  ({ mount, token }: MountUnderTest) =>
  (ref: string) =>
    post({ mount, ref, token })

const halves = (text: string): [string, string] => [text.slice(0, -5), text.slice(-5)]

/** Between the halves of a request: long enough for a busy machine to have taken the first one. */
const pauseMillis = 1_000

/** Clients that go away, or send without end. */
export const disconnectLaws: ReadonlyArray<MountLaw> = [
  {
    title: "answers a bounded part of what is sent at once, in order, and ends the connection",
    law: async ({ host, mount, raw, token, traits }) => {
      if (traits.passes === "fetch") return
      const one = `GET ${mount}/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
      const { isClosed, statuses } = await raw([one.repeat(200)], { answers: 200 })
      assert.isTrue(isClosed)
      assert.isAtLeast(statuses.length, 10)
      assert.isBelow(statuses.length, 100)
      for (const status of statuses) assert.strictEqual(status, 200)
      assert.strictEqual((await host("GET", "/hello")).text, "hello")
    }
  },
  {
    title: "makes nothing of a request whose client left in the middle of it",
    law: async (test) => {
      const good = goodFrom(test)
      await many(20, async (index) => {
        const [half] = halves(good(`gone-${index}`))
        const { statuses } = await test.raw([half], { within: 10 + index })
        assert.deepStrictEqual(statuses, [])
      })
      const ended = await test.raw([halves(good("half-closed"))[0]], { isEnding: true })
      for (const status of ended.statuses) assert.isBelow(status, 500)
      const refs = [...Array.from({ length: 20 }, (_, index) => `gone-${index}`), "half-closed"]
      for (const ref of refs) assert.isFalse(await test.isThere(ref), ref)
      assert.strictEqual((await test.host("GET", "/hello")).text, "hello")
    }
  },
  {
    title: "does a request whole or not at all when its client leaves, and can be asked again",
    law: async (test) => {
      const { audit, isThere, raw, shop } = test
      await many(30, (index) => {
        const ref = `left-${index}`
        const key = `Idempotency-Key: leaving-${index}`
        const sent = post({ mount: test.mount, ref, token: test.token }, { headers: [key] })
        return raw([sent], { within: index })
      })
      await audit()
      await many(30, async (index) => {
        const ref = `left-${index}`
        const headers = { "idempotency-key": `leaving-${index}` }
        const again = await shop("POST", "/pix", { body: charge(ref), headers })
        assert.strictEqual(again.status, 201, again.text)
        const found = await shop("GET", `/transactions/${ref}`)
        assert.strictEqual(found.json["id"], again.json["id"])
        assert.isTrue(await isThere(ref))
      })
      await audit()
    }
  }
]

/** Each of these ends the host that it runs on. */
export const stopLaws: ReadonlyArray<MountLaw> = [
  {
    title: "answers what was running when the host stops, and takes nothing new",
    law: async (test) => {
      const good = goodFrom(test)
      const running = many(8, (index) =>
        test.raw(halves(good(`last-${index}`)), { pause: pauseMillis })
      )
      await sleep(pauseMillis / 2)
      const stopped = test.stopHost()
      const outcomes = await running
      assert.deepStrictEqual(
        outcomes.map(({ statuses }) => statuses[0]),
        outcomes.map(() => 201)
      )
      await stopped
      assert.deepStrictEqual((await test.raw([good("late")])).statuses, [])
      for (let index = 0; index < 8; index++) assert.isTrue(await test.isThere(`last-${index}`))
      assert.isFalse(await test.isThere("late"))
      await test.audit()
    }
  },
  {
    title: "keeps the host standing when the service stops under it",
    law: async (test) => {
      const good = goodFrom(test)
      const running = many(8, (index) =>
        test.raw(halves(good(`cut-${index}`)), { pause: pauseMillis })
      )
      await sleep(pauseMillis / 2)
      await test.stopPagora()
      for (const { isClosed, statuses } of await running) {
        assert.isTrue(isClosed || statuses.length > 0, "it hangs")
        for (const status of statuses) assert.include([201, 503], status)
      }
      const after = await test.raw([good("after")])
      assert.deepStrictEqual(after.statuses, [503], after.text)
      assert.match(after.text, /^retry-after: 1\r?$/im)
      assert.isFalse(await test.isThere("after"))
      assert.strictEqual((await test.host("GET", "/hello")).text, "hello")
      await test.audit()
    }
  }
]

const groups = Object.entries(rawRequests)

/** Malformed and smuggling requests: the same verdict in every host. */
export const rawLaws: ReadonlyArray<MountLaw> = groups.map(([group, cases]) => ({
  title: `refuses raw requests (${group}), each with one answer, and makes nothing of them`,
  law: async (test: MountUnderTest) => {
    const { isThere, mount, raw, token, traits } = test
    const wrong: Array<string> = []
    const isAsked = ({ isLostInFetch = false, isParsersOwn = false }: RawCase) =>
      !(isLostInFetch && traits.passes === "fetch") &&
      !(isParsersOwn && traits.body !== "untouched")
    const asked = cases.filter(isAsked)
    await many(asked.length, async (index) => {
      const one = asked[index]
      if (one === undefined) return
      const ref = `raw-${one.name.replaceAll(/\W/g, "-")}`
      const { isClosed, statuses, text } = await raw([one.bytes({ mount, ref, token })])
      const [status] = statuses
      const verdict = status === undefined ? 4 : Math.floor(status / 100)
      // Behind a parser that kept nothing even a request that is in order is refused.
      const isRefused = verdict === 4 || (traits.body === "lost" && verdict === 5)
      const isExact = one.status === undefined || status === one.status
      const mustBeExact = traits.body === "untouched" && traits.passes === "node"
      const isSingle = statuses.length === 1 || (statuses.length === 0 && isClosed)
      if (!isRefused || !isSingle || (mustBeExact && !isExact))
        wrong.push(`${one.name}: ${statuses.join(", ")} ${text.slice(0, 200)}`)
      if ((await isThere(ref)) || (await isThere(`${ref}-smuggled`)))
        wrong.push(`${one.name}: something was made of it`)
    })
    assert.deepStrictEqual(wrong, [])
    await test.audit()
  }
}))
