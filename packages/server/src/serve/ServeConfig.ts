import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { PagoraOptions } from "@pagora/core"
import { Effect, Schema } from "effect"
import { withoutSecrets } from "../Secretless.ts"

/** What a deployment brings as code, because no variable can hold it. */
export interface ServeConfig {
  /** The PSPs that move the money: `{ default, psps }`, a layer of them, or `sandbox()` to play. */
  readonly psp: PagoraOptions["psp"]
  /** What makes PSPs of credentials that the operator keeps in the service, beside the banks that it knows by itself. */
  readonly pspProviders?: PagoraOptions["pspProviders"]
  /** How webhooks go out. Default: HTTPS to public addresses, at the ports of `PAGORA_WEBHOOK_PORTS`. */
  readonly transport?: PagoraOptions["transport"]
}

/** Names the type of a `pagora.config.mjs`, so that an editor helps to write it. */
export const defineConfig = (config: ServeConfig): ServeConfig => config

/** The file of the PSPs is not there, or not as it must be. */
export class ConfigUnusable extends Schema.TaggedError<ConfigUnusable>()("ConfigUnusable", {
  message: Schema.String
}) {}

const unusable = (message: string) => new ConfigUnusable({ message })

/** Looked for in the working directory, in this order. */
const usualNames = ["pagora.config.mjs", "pagora.config.ts"]

const known: Readonly<Record<keyof ServeConfig, true>> = {
  psp: true,
  pspProviders: true,
  transport: true
}

const knownNames = "psp, pspProviders and transport"

/** The file that was named, or the usual one of the working directory, where that is there. */
export const configFile = (named: string | undefined, directory: string): string | undefined =>
  named === undefined
    ? usualNames.map((name) => join(directory, name)).find((name) => existsSync(name))
    : resolve(directory, named)

/** Loads the file that was named, or the usual one of the working directory. */
export const loadConfig = Effect.fnUntraced(function* (
  named: string | undefined,
  directory: string
) {
  const path = configFile(named, directory)
  if (path === undefined || !existsSync(path)) {
    return yield* unusable(
      `There is no ${path ?? usualNames.join(" or ")}: name a bank with PAGORA_BANK, or write a file that says which PSP moves the money (docs/guides/run-in-production.md), which --config and PAGORA_CONFIG name.`
    )
  }
  const loaded = yield* Effect.tryPromise({
    try: async (): Promise<unknown> => import(pathToFileURL(path).href),
    catch: (error) => unusable(`${path} cannot be loaded${reasonOf(error)}`)
  })
  return yield* checked(
    path,
    Object.entries(loaded ?? {}).find(([name]) => name === "default")?.[1]
  )
})

/** What the file threw, for its author, without what stands in the environment and in URLs to be kept secret. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error) || error.message === "") return "."
  // JSON.parse quotes what it was given, such as a file of keys.
  if (error instanceof SyntaxError && /\bJSON\b/u.test(error.message))
    return ": something that it parses is not valid JSON."
  return `: ${withoutSecrets(error.message)}`
}

const checked = Effect.fnUntraced(function* (path: string, value: unknown) {
  if (typeof value !== "object" || value === null)
    return yield* unusable(
      `${path} has no default export that is a configuration: write export default defineConfig({ psp }).`
    )
  const unknown = Object.keys(value).find((name) => !Object.hasOwn(known, name))
  if (unknown !== undefined)
    return yield* unusable(
      `${path} sets ${unknown}, which is nothing that is set there: it takes ${knownNames}; everything else is an environment variable.`
    )
  if (!("psp" in value) || value.psp === undefined)
    return yield* unusable(
      `${path} sets no psp: give { default, psps } with your own, or sandbox() of @pagora/core/sandbox to play without money.`
    )
  // What these are is looked at where they are used.
  return value as ServeConfig
})
