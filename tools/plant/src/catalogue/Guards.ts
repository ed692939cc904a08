import type { Guard } from "../Plant.ts"
import { deadlines } from "./Deadlines.ts"
import { expectations } from "./Expectations.ts"
import { namesAndFloors } from "./Floors.ts"
import { legsAndDeadlines } from "./Legs.ts"
import { looksAndEvents } from "./Looks.ts"
import { namesAndKeys } from "./Names.ts"
import { atSwitches } from "./SwitchGuards.ts"

/** Of each item of "Mend what was found" what a simulated world does not show, and the test that does. */
const items: ReadonlyArray<Guard> = [
  {
    what: "a refund that waits beside a return of the bank, and goes on once that is decided: few have enough left",
    file: "packages/core/test/psp-reports/beside.test.ts",
    title: "is sent once a person has said who bears the return, where as much is left"
  },
  {
    what: "a dispute whose decision nobody was told of: a simulated Woovi says once more what was reported",
    file: "packages/core/test/psp-reports/infractions.test.ts",
    title: "of a PSP that lists none ends though the notice of its decision was lost"
  },
  {
    what: "a balance that nobody asked for, as another question was finding out whether the PSP answers: hardly any probe lasts as long as that",
    file: "packages/core/src/withdrawals/PayoutCover.test.ts",
    title: "do not go without it because somebody is just finding out whether the PSP answers"
  },
  {
    what: "a payout that no PSP can be told of for a day: banks are away for hours at most",
    file: "packages/core/test/withdrawals/unsent.test.ts",
    title: "comes to the operator's line after one, and goes when the PSP is back"
  },
  {
    what: "a block of a sub-account that was closed: the shop whose payments are reported has none",
    file: "packages/core/test/psp-reports/closed.test.ts",
    title: "is borne by the main wallet, to which what was not sent comes back: %d of 10"
  },
  {
    what: "a block of an account that was closed as a whole: that shop stays open",
    file: "packages/core/test/psp-reports/closed.test.ts",
    title: "and that the operator bears leaves there what was taken, which he takes out"
  },
  {
    item: 2,
    what: "a machine whose clock is wrong takes no work: leases and versions fence what it would do",
    file: "packages/postgres/test/clocks.test.ts",
    title:
      "is not ready and takes no work, says so once, serves, and goes on when it is right again"
  },
  {
    item: 3,
    what: "session settings: there are no sessions",
    file: "packages/postgres/test/sessions.test.ts",
    title: "has the settings that are written down, whatever the server's defaults say"
  },
  {
    item: 4,
    what: "a locked row: nobody else locks anything",
    file: "packages/postgres/test/locks.test.ts",
    title: "for long ends the wait of those who need it: nothing is written, and they may try again"
  },
  {
    item: 8,
    what: "a blind audit: only where something else is wrong as well",
    file: "packages/testkit/src/contracts/StorageAuditBlindLaws.ts",
    title: "the audit sees a lien that no block claims"
  },
  {
    item: 9,
    what: "a twin that is told the conflict which the first one made: the key and what it is about are read in one go, so that hardly anything comes between",
    file: "packages/core/test/operator/idempotency.test.ts",
    title: "that was fresh, and then the work was refused: the key is looked at once more (%s)"
  },
  {
    item: 9,
    what: "counters that are never purged: nothing runs out",
    file: "packages/postgres/test/grants.test.ts",
    title: "forgets counters of days and months that are over, and no others, whatever it asks for"
  },
  {
    item: 9,
    what: "attempts beyond a small integer: after 113 days of failures",
    file: "packages/testkit/src/contracts/StorageDeliveryLaws.ts",
    title: "a delivery has more attempts than a small integer counts, and each its number"
  },
  {
    item: 10,
    what: "a dispatcher that sleeps: it is woken a second later",
    file: "packages/core/src/webhooks/WebhookDispatcherPace.test.ts",
    title: "is sent without a silence, where a claim takes ${claimMillis} ms"
  },
  {
    item: 11,
    what: "a database that is away: how long an answer takes",
    file: "packages/postgres/test/outage.test.ts",
    title: "answers nothing: requests get 503 in time, health does, and all goes on when it is back"
  },
  {
    item: 13,
    what: "one connection that takes all memory: there are no sockets",
    file: "packages/server/test/connections.test.ts",
    title: "has one request at a time, in their order, bodies too"
  },
  {
    item: 14,
    what: "a bank that holds up others: all comes out in the end",
    file: "packages/core/test/psp/hanging-bank.test.ts",
    title: "128 notices of it do not keep the other bank's payments waiting"
  },
  {
    item: 15,
    what: "a tenant that delays others: all comes out in the end",
    file: "packages/core/test/webhooks/routing.test.ts",
    title: "is booked at the first look, however often endpoints change meanwhile"
  },
  {
    item: 16,
    what: "arguments that change the route",
    file: "packages/core/test/embed/routes.test.ts",
    title: "never changes the route, of any method of any API"
  },
  {
    item: 17,
    what: "tries at a credential without a bound",
    file: "packages/core/test/http/rate-limit.test.ts",
    title: "ends the attempts of one address under ever new names, and of no other"
  },
  {
    item: 18,
    what: "other spellings of a path",
    file: "packages/core/test/http/paths.test.ts",
    title: "has one spelling: whatever else could be taken for it is not there"
  },
  {
    item: 19,
    what: "how a release is made",
    file: "packages/testkit/test/workflow-gates.test.ts",
    title: "a workflow is refused by %s"
  },
  {
    item: 20,
    what: "headers behind a host's own middleware: there is no host",
    file: "packages/express/test/behind.test.ts",
    title: "Express 5 behind compression"
  },
  {
    item: 21,
    what: "a Node.js that is too old",
    file: "packages/core/test/embed/node-version.test.ts",
    title: "Node %s is refused, in one sentence"
  },
  {
    item: 22,
    what: "PSPs of promises",
    file: "packages/core/test/psp/promises.test.ts",
    title: "what it throws is an unknown outcome, whose message the host's own logger gets whole"
  },
  {
    item: 23,
    what: "what the client makes of other people's answers",
    file: "packages/core/test/client/promise.test.ts",
    title: "of a token that is not the credential's fault says whose it is"
  },
  {
    item: 24,
    what: "the guides",
    file: "packages/core/test/client/guides.test.ts",
    title: "receive-webhooks.md receives what the service sends, and nothing else"
  }
]

/** What can be taken out alone without harm, because something else stands behind it. */
const doubled: ReadonlyArray<Guard> = [
  {
    what: "a lease that is not renewed: versions and tokens fence who comes too late",
    file: "packages/core/src/jobs/LeaseKeeper.test.ts",
    title: "renews each lease every twenty seconds from its own beginning, while it is held"
  },
  {
    what: "a charge that ends before its settlement lag is over: late looks find its payment",
    file: "packages/core/test/charges/expiry.test.ts",
    title:
      "made in time and told late completes the expired charge; both events are told, with two ids"
  },
  {
    what: "a charge that is not asked about again whose payment another one shows: one world in forty thousand",
    file: "packages/core/test/discrepancies/discrepancies.test.ts",
    title: "by showing it under another charge first leaves no payment of that one unbooked"
  },
  {
    what: "the number of an attempt: the lease of its job is lost before",
    file: "packages/core/src/webhooks/WebhookDispatcherRecords.test.ts",
    title: "are recorded all the same where one of them has lost its lease"
  },
  {
    what: "a part of a refund that has failed and goes on counting: few parts fail in a world",
    file: "packages/core/test/refunds/parts.test.ts",
    title: "has what failed of it again, and what is not known counts as gone"
  },
  {
    what: "a silent PSP that is asked on and on: it costs time alone",
    file: "packages/core/src/psp-calls/PspCircuit.test.ts",
    title: "opens after five silences on end, and nobody asks while it is open"
  }
]

/** Credentials that are kept: a simulated world has the PSPs that it began with, and no secret to open. */
const kept: ReadonlyArray<Guard> = [
  {
    what: "settings that were revoked and are used on, by the process that was asked or by another",
    file: "packages/core/test/psp/kept-ends.test.ts",
    title:
      "is let go by every process at once when they are rotated or revoked, and when the service stops"
  },
  {
    what: "a PSP that was revoked and is asked on by whoever had found it before",
    file: "packages/core/test/psp/kept-ends.test.ts",
    title: "is asked nothing more by whoever had it in hand when it was revoked"
  },
  {
    what: "settings that were rotated, and which another process goes on without",
    file: "packages/core/test/psp/kept.test.ts",
    title: "are known to every process once the one that was asked has answered"
  },
  {
    what: "two PSPs of one account, each of which would take the payments of the other for money that nobody asked for",
    file: "packages/core/test/psp/kept.test.ts",
    title: "is not added, nor is what is kept already"
  },
  {
    what: "a start with a PSP that is configured and kept",
    file: "packages/core/test/psp/kept.test.ts",
    title: "a start with both fails and says what to do, by the id and by the client id"
  },
  {
    what: "settings that open under a wrong key",
    file: "packages/core/test/psp/kept.test.ts",
    title:
      "are there after a restart, whichever secret they were sealed under, as long as that is known"
  },
  {
    what: "settings that open for another PSP than the one they were sealed for",
    file: "packages/core/test/psp/kept.test.ts",
    title: "do not open where they were moved to another PSP"
  },
  {
    what: "credentials of another bank, environment or account under the id of what was begun",
    file: "packages/core/test/psp/kept-ends.test.ts",
    title: "are refused where they are of another bank, environment or account, with what to do"
  },
  {
    what: "a secret in a message, or the rest of one whose beginning is another",
    file: "packages/core/test/psp/kept-ends.test.ts",
    title: "are not told in a refusal, also where one secret is a part of another"
  },
  {
    what: "a secret in a row, an answer or a log",
    file: "packages/core/test/psp/kept.test.ts",
    title: "stand in no row, no answer, no refusal and no log"
  }
]

/** Behind Woovi: what hardly ever meets in a world. */
const atWoovi: ReadonlyArray<Guard> = [
  {
    what: "a return that is taken for that of another payout: few lists have one when they are mixed up",
    file: "packages/psp-woovi/test/payouts.test.ts",
    title: "has not come back by the return of something else, even if Woovi shows it"
  },
  {
    what: "a payment that is taken for that of another charge: few lists have one when they are mixed up",
    file: "packages/psp-woovi/test/charges.test.ts",
    title: "has no payment of another, even if Woovi shows it"
  }
]

/** What a world shows as well where nothing is wrong: its bank may be away when it is asked. */
const atPersons: ReadonlyArray<Guard> = [
  {
    what: "a payout that a person calls failed though its PSP says that it pays it",
    file: "packages/core/test/withdrawals/payout-identity.test.ts",
    title: "is not given back while the PSP says that it is %s"
  },
  {
    what: "a return that a person calls failed though its PSP says that its payer has the money",
    file: "packages/core/test/returns/review.test.ts",
    title: "cannot be called failed once the bank says that its payer has the money"
  },
  {
    what: "what a PSP has after all, called failed as if that had been known: no bank is silent for two days",
    file: "packages/core/test/withdrawals/payout-identity.test.ts",
    title: "is the PSP's again for a day, and then as the person says, though the PSP goes on so"
  }
]

export const guards: ReadonlyArray<Guard> = [
  ...items,
  ...doubled,
  ...kept,
  ...atWoovi,
  ...atPersons,
  ...atSwitches,
  ...expectations,
  ...looksAndEvents,
  ...namesAndFloors,
  ...namesAndKeys,
  ...legsAndDeadlines,
  ...deadlines
]
