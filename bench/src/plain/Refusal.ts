import type { FastifyReply, FastifyRequest } from "fastify"

const names: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  422: "UnprocessableEntity"
}

/** Why a request is not done, as its caller is told. */
export class Refusal extends Error {
  readonly statusCode: number
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(statusCode: number, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message)
    this.statusCode = statusCode
    this.details = details
  }
}

interface Failure {
  readonly statusCode?: number
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** What nobody foresaw is logged, and not told. */
const told = (failure: Failure, request: FastifyRequest) => {
  const statusCode = failure.statusCode ?? 500
  if (statusCode >= 500) request.log.error(failure)
  const message = statusCode >= 500 ? "Something went wrong on our side." : failure.message
  return { statusCode, message }
}

/** The envelope of every error but those of `POST /auth`. */
export const envelope = (failure: Failure, request: FastifyRequest, reply: FastifyReply) => {
  const { message, statusCode } = told(failure, request)
  return reply.code(statusCode).send({
    statusCode,
    error: names[statusCode] ?? "InternalError",
    message,
    ...(failure.details === undefined ? {} : { details: failure.details }),
    timestamp: new Date().toISOString()
  })
}

/** Errors of `POST /auth` have two fields only. */
export const twoFields = (failure: Failure, request: FastifyRequest, reply: FastifyReply) => {
  const { message, statusCode } = told(failure, request)
  const error = { 400: "Bad Request", 401: "Unauthorized" }[statusCode] ?? "Internal Server Error"
  return reply.code(statusCode).send({ error, message })
}
