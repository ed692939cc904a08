import { startFakeBank } from "@pagora/fake-bank"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestContext } from "vitest"
import type { Env } from "./ServeWorld.test-data.ts"

export const callbackSecret = "segredo-dos-callbacks-1"

/** A port that was free a moment ago: a bank is told an address before somebody listens there. */
export const freePort = (): Promise<number> =>
  new Promise((found) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => found(port))
    })
  })

/** An account at Efí, and the environment that would configure it. */
export const atEfi = async ({ onTestFinished }: TestContext) => {
  const bank = await startFakeBank({ bank: "efi", balance: 10_000_000, plainCallbacks: true })
  const folder = mkdtempSync(join(tmpdir(), "pagora-efi-"))
  onTestFinished(async () => {
    await bank.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const inFolder = (name: string, content: string | Uint8Array): string => {
    writeFileSync(join(folder, name), content, { mode: 0o600 })
    return join(folder, name)
  }
  const envOf = ({
    passphrase,
    pfx
  }: {
    readonly passphrase: string
    readonly pfx: Uint8Array
  }): Env => ({
    PAGORA_CONFIG: "",
    PAGORA_BANK: "efi",
    PAGORA_BANK_PIX_KEY: bank.pixKey,
    PAGORA_BANK_CLIENT_ID: bank.client.clientId,
    PAGORA_BANK_CLIENT_SECRET_FILE: inFolder("secret", bank.client.clientSecret ?? ""),
    PAGORA_BANK_CERTIFICATE_FILE: inFolder("efi.p12", pfx),
    PAGORA_BANK_CERTIFICATE_PASSPHRASE: passphrase,
    PAGORA_BANK_CALLBACK_SECRET: callbackSecret,
    PAGORA_BANK_CALLBACK_ADDRESSES: "127.0.0.1",
    PAGORA_BANK_ORIGIN: bank.urls.origin,
    PAGORA_BANK_AUTHORITY_FILE: inFolder("ca.pem", bank.ca)
  })
  return { bank, envOf }
}
