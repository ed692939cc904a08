import type { ServerResponse } from "node:http"
import type { PlainError } from "../http/PlainError.ts"
import { plainHeaders, plainText } from "../http/PlainError.ts"

/** Answers an error without asking any app. */
export const answerPlainly = (response: ServerResponse, error: PlainError): void => {
  response.writeHead(error.statusCode, plainHeaders).end(plainText(error))
}
