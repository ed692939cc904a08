import { listening, mountContract } from "@pagora/testkit"
import type { MountStart } from "@pagora/testkit"
import type { IncomingMessage } from "node:http"

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A server without a framework, which finds its routes by the beginning of the path. */
const start: MountStart = ({ pagora, prefix }) => {
  const mount = prefix.replace(/\/$/, "")
  return listening(async (request, response) => {
    const target = (request.url ?? "/").replace(/^http:\/\/[^/]*/, "")
    const isBelow = [`${mount}/`, `${mount}?`].some((start) => target.startsWith(start))
    if (target === "/hello") response.end("hello")
    else if (target === "/echo") response.end(await bytesOf(request))
    else if (isBelow || target === mount || mount === "") pagora.listener(request, response)
    else response.writeHead(404).end()
  })
}

mountContract(
  "Node without a framework",
  { body: "untouched", passes: "node", isPrefixKept: true },
  start
)
