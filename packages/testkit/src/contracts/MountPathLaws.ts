import { assert } from "@effect/vitest"
import type { MountLaw, MountUnderTest } from "./MountUnderTest.ts"

const head = ({ token }: MountUnderTest, line: string): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`

/** What holds for every host, under every prefix. */
export const pathLaws: ReadonlyArray<MountLaw> = [
  {
    title: "answers below its prefix, with and without a query",
    law: async ({ api, shop }) => {
      assert.strictEqual((await shop("GET", "/account")).status, 200)
      assert.strictEqual((await shop("GET", "/transactions?limit=1")).status, 200)
      const refused = await api("GET", "/account")
      assert.strictEqual(refused.status, 401)
      assert.strictEqual(String(refused.json["details"]?.["code"]), "TOKEN_MISSING")
    }
  },
  {
    title: "answers what it does not have in its own envelope",
    law: async ({ api }) => {
      for (const path of ["", "/", "/nothing", "/nothing/at/all?q=1", "//account"]) {
        const { headers, json, status } = await api("GET", path)
        assert.strictEqual(status, 404, path)
        assert.strictEqual(String(json["details"]?.["code"]), "ROUTE_NOT_FOUND", path)
        assert.strictEqual(headers["cache-control"], "no-store", path)
      }
    }
  },
  {
    title: "answers methods that a path does not have with 405, also HEAD and OPTIONS",
    law: async ({ api }) => {
      for (const method of ["HEAD", "OPTIONS", "PUT", "DELETE"]) {
        const { headers, status } = await api(method, "/pix")
        assert.strictEqual(status, 405, method)
        assert.strictEqual(headers["allow"], "POST", method)
      }
    }
  },
  {
    title: "answers HEAD with the status and headers of GET, and no body",
    law: async (test) => {
      const { api, mount, raw, shop } = test
      for (const path of ["/account", "/transactions/nobody"]) {
        const got = await shop("GET", path)
        const { statuses, text } = await raw([head(test, `HEAD ${mount}${path}`)])
        assert.deepStrictEqual(statuses, [got.status], text)
        assert.match(text, /^content-type: application\/json\r$/im)
        assert.match(text, /^cache-control: no-store\r$/im)
        assert.isTrue(text.endsWith("\r\n\r\n"), text)
      }
      assert.strictEqual((await api("HEAD", "/account")).status, 401)
      const { headers, status } = await api("POST", "/account")
      assert.strictEqual(status, 405)
      assert.strictEqual(headers["allow"], "GET, HEAD")
    }
  },
  {
    title: "leaves the host's own routes alone",
    law: async ({ host }) => {
      const hello = await host("GET", "/hello")
      assert.deepInclude(hello, { status: 200, text: "hello" })
      assert.isUndefined(hello.headers["cache-control"])
      const sent = { amount: 10.5, text: "São João" }
      const echo = await host("POST", "/echo", { body: sent })
      assert.strictEqual(echo.status, 200)
      assert.deepStrictEqual(JSON.parse(echo.text), sent)
    }
  },
  {
    title: "leaves the host what is outside its prefix, however much it looks alike",
    law: async ({ host, mount }) => {
      if (mount === "") return
      const beside = [`${mount}2/account`, `${mount}-/account`, "/account", `/${mount}/account`]
      const above = [`${mount.slice(0, -1)}/account`, `/x${mount}/account`, "/nothing"]
      for (const path of [...beside, ...above]) {
        const { json, status } = await host("GET", path)
        assert.strictEqual(status, 404, path)
        assert.isUndefined(json["traceId"], path)
      }
    }
  },
  {
    title: "is reached by a target that names its host",
    law: async (test) => {
      const { mount, raw } = test
      const { statuses, text } = await raw([head(test, `GET http://127.0.0.1${mount}/account`)])
      assert.deepStrictEqual(statuses, [200], text)
    }
  },
  {
    title:
      "has one spelling of a path, and does not resolve dots, so that nothing outside is reached through it, or it from outside",
    law: async (test) => {
      const { mount, raw } = test
      for (const path of [
        `${mount}/../hello`,
        `${mount}/%2e%2e/hello`,
        `http://127.0.0.1${mount}/%2e%2e/nothing`,
        `${mount}/x/../nothing`,
        `${mount}//account`,
        `${mount}/account/`,
        `${mount}/account;x=1`,
        `${mount}/transactions/`,
        `${mount}/transactions/..`,
        `${mount}/transactions/%2E.`,
        `${mount}/%61ccount/%2f`
      ]) {
        const { statuses, text } = await raw([head(test, `GET ${path}`)])
        // Where the host makes a URL of the target, the dots are gone before anybody here sees them.
        const isResolved =
          test.traits.passes === "fetch" && statuses[0] === 200 && text.includes("hello")
        if (!isResolved) assert.deepStrictEqual(statuses, [404], path)
      }
    }
  },
  {
    title: "knows where it is mounted",
    law: async ({ api, mount, traits }) => {
      if (traits.passes === "fetch") return
      const { json } = await api("GET", "/openapi.json")
      assert.strictEqual(String(json["servers"]?.["0"]?.["url"]), mount === "" ? "/" : mount)
    }
  }
]
