import type { ServerResponse } from "node:http"
import type { HealthReport } from "@pagora/core"
import type { Mount } from "../HttpListener.ts"

/**
 * The probes, for whoever decides about this process: `live`, as long as it answers at all, and `ready`, while it can do
 * its work. Neither says more than that.
 */
export const healthMount = (check: () => Promise<HealthReport>): Mount => ({
  prefix: "/health",
  listener: (request, response) => {
    const [path] = (request.url ?? "").split("?")
    const isKnown = path === "/live" || path === "/ready"
    if (!isKnown)
      return answer(response, 404, { message: "There are /health/live and /health/ready." })
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD")
      return answer(response, 405, { message: "This path takes GET." })
    }
    if (path === "/live") return answer(response, 200, { live: true })
    void check().then(
      (report) => answer(response, report.ready ? 200 : 503, report),
      // The process is past its end.
      () => answer(response, 503, { ready: false })
    )
  }
})

const answer = (response: ServerResponse, status: number, body: object): void => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff"
  })
  response.end(text)
}
