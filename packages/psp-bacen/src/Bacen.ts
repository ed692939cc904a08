import type { PspFinding, PspNotice, PspShape } from "@pagora/core"
import { Duration, Effect } from "effect"
import type { BacenOptions } from "./BacenOptions.ts"
import { readOptions } from "./BacenOptions.ts"
import type { BankDesk } from "./BankDesk.ts"
import type { CallbackProof } from "./callbacks/CallbackProof.ts"
import { makeJudge } from "./callbacks/CallbackProof.ts"
import { makeNotifications } from "./callbacks/Notifications.ts"
import { redacted } from "./certificates/Certificate.ts"
import { makeKeeper } from "./certificates/CertificateKeeper.ts"
import { makeCharges } from "./charges/Charges.ts"
import { checkEfiBalance, makeEfiBalance } from "./efi/EfiAccount.ts"
import { makeEfiInfractions } from "./efi/EfiInfractions.ts"
import { makeEfiPayouts } from "./efi/EfiPayouts.ts"
import { checkEfiSettings, prepareEfi } from "./efi/EfiSettings.ts"
import { makeBacenHttp } from "./http/BacenHttp.ts"
import { checkInterBalance, makeInterBalance } from "./inter/InterAccount.ts"
import { interKeysKnownFor, makeInterPayouts } from "./inter/InterPayouts.ts"
import { checkInterDeliveries, checkInterWebhook, prepareInter } from "./inter/InterSetup.ts"
import { makeReceived } from "./received/Received.ts"
import { makeReturns } from "./returns/Returns.ts"
import { certificateEnds, checkCertificate, checkScopes } from "./setup/Access.ts"
import { makeWebhook } from "./setup/Webhook.ts"

/**
 * A bank that speaks the Central Bank's Pix API (2.9.0), as a PSP of Pagora. It throws `BacenMisconfigured` where the options cannot be
 * right; a certificate that cannot be read shows in `check`, and every call is `NotSent` until it can.
 */
export const bacen = (options: BacenOptions): PspShape => {
  const desk = deskOf(options)
  const { profile } = desk
  const { callbacks: proof, environment, pixKey } = options
  const payouts = payoutsOf(desk, options)
  const webhook = makeWebhook(desk, proof)

  return {
    provider: profile.name,
    environment,
    identity: { clientId: options.clientId, account: pixKey },
    capabilities: {
      // By the txid and the ids of ours, each read back where the bank refuses a repeat.
      idempotentByReference: true,
      // No bank tells who paid where it is asked; what callbacks tell is confirmed by its filter.
      knowsPayer: false,
      notFoundIsFinalAfter: Duration.minutes(2),
      settlementLag: Duration.minutes(10),
      ...payouts.capabilities
    },
    ...makeCharges(desk),
    ...makeReturns(desk),
    ...makeReceived(desk),
    sendPayout: payouts.sendPayout,
    findPayout: payouts.findPayout,
    findInfraction: payouts.findInfraction,
    listInfractions: payouts.listInfractions,
    defendInfraction: payouts.defendInfraction,
    balance: payouts.balance,
    readNotification: makeNotifications({
      isAuthentic: makeJudge(proof, profile, environment),
      pixKey,
      readOther: payouts.readCallback
    }),
    prepare: ({ webhookUrl }) =>
      Effect.all([
        checkCertificate(desk),
        checkScopes(desk),
        webhook.register(webhookUrl),
        ...payouts.prepare(webhookUrl)
      ]),
    check: (wanted) =>
      Effect.all(
        [
          checkCertificate(desk),
          checkScopes(desk),
          webhook.check(wanted?.webhookUrl),
          ...payouts.checks(wanted?.webhookUrl)
        ],
        { concurrency: "unbounded" }
      ),
    certificateEnds: () => certificateEnds(desk)
  }
}

const deskOf = (options: BacenOptions): BankDesk => {
  const { account, certificate, certificateAuthority, clientId, merchant, pixKey } = options
  const { hosts, profile } = readOptions(options)
  const secretOf = (secret: BacenOptions["appKey"]) =>
    secret === undefined ? undefined : redacted(secret)
  const keeper = makeKeeper({
    bank: profile.name,
    source: certificate,
    authorities: certificateAuthority
  })
  const http = makeBacenHttp({
    profile,
    hosts,
    keeper,
    transport: options.transport,
    account,
    credentials: { clientId, clientSecret: secretOf(options.clientSecret) },
    fixedToken: secretOf(options.fixedToken),
    appKey: secretOf(options.appKey)
  })
  return { profile, http, pixKey, merchant }
}

/** What differs by the protocol in which a bank sends money, and by what it has besides. */
interface PayoutProtocol extends Pick<
  PspShape,
  | "sendPayout"
  | "findPayout"
  | "findInfraction"
  | "listInfractions"
  | "defendInfraction"
  | "balance"
> {
  readonly capabilities: Pick<
    PspShape["capabilities"],
    "payouts" | "payoutsAtOnce" | "repeatableFor"
  >
  readonly readCallback: (json: unknown) => ReadonlyArray<PspNotice> | undefined
  readonly prepare: (webhookUrl: string) => ReadonlyArray<Effect.Effect<PspFinding>>
  readonly checks: (webhookUrl: string | undefined) => ReadonlyArray<Effect.Effect<PspFinding>>
}

const payoutsOf = (desk: BankDesk, { callbacks, efi = {} }: BacenOptions): PayoutProtocol => {
  switch (desk.profile.payouts) {
    case "efi": {
      const infractions = makeEfiInfractions(desk)
      return {
        ...makeEfiPayouts(desk),
        findInfraction: infractions.findInfraction,
        listInfractions: infractions.listInfractions,
        defendInfraction: infractions.defendInfraction,
        balance: makeEfiBalance(desk),
        // It warns that payouts at once may fail.
        capabilities: { payoutsAtOnce: 1 },
        readCallback: () => undefined,
        prepare: () => [prepareEfi(desk, efi)],
        checks: () => [checkEfiSettings(desk, efi), infractions.check, checkEfiBalance(desk)]
      }
    }
    case "inter":
      return interOf(desk, callbacks)
    case "none":
      return none
  }
}

const interOf = (desk: BankDesk, proof: CallbackProof | undefined): PayoutProtocol => {
  const payouts = makeInterPayouts(desk)
  return {
    ...payouts,
    findInfraction: undefined,
    listInfractions: undefined,
    defendInfraction: undefined,
    balance: makeInterBalance(desk),
    capabilities: { repeatableFor: interKeysKnownFor },
    prepare: (webhookUrl) => (proof === undefined ? [] : [prepareInter(desk, proof, webhookUrl)]),
    checks: (webhookUrl) => [
      checkInterWebhook(desk, proof, webhookUrl),
      checkInterDeliveries(desk),
      checkInterBalance(desk)
    ]
  }
}

/** The Central Bank's file has no payouts. */
const none: PayoutProtocol = {
  sendPayout: () =>
    Effect.succeed({
      _tag: "Rejected",
      code: "payouts_not_offered",
      message: "This bank sends no money by its Pix API."
    }),
  findPayout: () => Effect.succeed({ _tag: "Done", value: undefined }),
  findInfraction: undefined,
  listInfractions: undefined,
  defendInfraction: undefined,
  balance: undefined,
  capabilities: { payouts: "none" },
  readCallback: () => undefined,
  prepare: () => [],
  checks: () => []
}
