import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@pagora/testkit"
import type { TestContext } from "vitest"
import type { BankStory } from "./BankStory.test-data.ts"
import { bankStory, wooviStory } from "./BankStory.test-data.ts"

/** Nothing is under way, the bank and the books agree to the centavo, and the books are right. */
const agreed = async ({ arrived, bank, booked, pagora }: BankStory, centavos: number) => {
  assert.deepStrictEqual([arrived(), await booked()], [centavos, centavos])
  const audit = await pagora.audit()
  assert.deepStrictEqual([audit.ok, audit.violations], [true, []])
  // Of what is no bank of the Central Bank's API nothing is held against its file.
  assert.deepStrictEqual("findings" in bank ? bank.findings : [], [])
}

const paid = async (story: BankStory, amount: number) => {
  const charge = await story.charge(amount)
  const { endToEndId } = story.bank.pay(charge.txid)
  await story.statusIs(charge.id, "completed")
  return { ...charge, endToEndId }
}

/** Some banks are asked again and again, and the others tell by themselves. */
const ended = ({ pagora, pass, shop }: BankStory, id: string, status: string) =>
  eventually(async () => {
    await pass(60)
    const withdrawal = await pagora.withdrawals.find(shop, id)
    return withdrawal.status === status ? withdrawal : undefined
  })

/** Nothing that moves money is under way any more. */
const settled = ({ pagora, pass, shop }: BankStory) =>
  eventually(async () => {
    await pass(60)
    const { data } = await pagora.transactions.list(shop, { limit: 50 })
    return data.every(({ status }) => status !== "pending") ? data : undefined
  })

const storyAt = (name: "efi" | "inter" | "woovi", context: TestContext): Promise<BankStory> =>
  name === "woovi" ? wooviStory(context) : bankStory(name, context)

describe.each(["efi", "inter", "woovi"] as const)(
  "a shop at %s, over sockets",
  { timeout: 120_000 },
  (name) => {
    it("is paid, gives back in parts, sends money and gets some of it back", async (context) => {
      const story = await storyAt(name, context)
      const { bank, pagora, shop } = story
      const { endToEndId, id } = await paid(story, 100)
      for (const amount of [30, 70]) await pagora.refunds.request(shop, id, { amount })
      const backs = () => bank.world.payments.get(endToEndId)?.returns ?? []
      await eventually(() => (backs().length === 2 ? backs() : undefined))
      await settled(story)
      await agreed(story, 0)

      await paid(story, 50)
      const [one, other] = [await story.withdraw(20), await story.withdraw(10)]
      for (const { id } of [one, other]) await ended(story, id, "completed")
      await agreed(story, 2_000)
      bank.settlePayout(other.atBank, "reversed")
      // Inter's API does not show that a payout which had arrived has come back: it stays out of the books.
      if (name === "inter")
        return assert.deepStrictEqual([story.arrived(), await story.booked()], [3_000, 2_000])
      await ended(story, other.id, "reversed")
      await agreed(story, 3_000)
    })

    it("lets a charge end, and finds the payment of which no callback told", async (context) => {
      const story = await storyAt(name, context)
      const { bank, pass } = story
      const early = await story.charge(10, 900)
      const late = await story.charge(20, 900)
      bank.faults.set([{ kind: "forget", operation: "callback" }])
      bank.pay(late.txid)
      await pass(1_000)
      await story.statusIs(late.id, "completed")
      await pass(86_400)
      await story.statusIs(early.id, "cancelled")
      await agreed(story, 2_000)
    })

    it("waits while its bank is down for an hour, and loses nothing", async (context) => {
      const story = await storyAt(name, context)
      const { bank, pagora, pass, shop } = story
      await paid(story, 100)
      const open = await story.charge(25)
      await bank.goDown()
      const refused = await pagora.charges.create(shop, { amount: 5 }).then(
        () => assert.fail("The bank is down."),
        (error: { readonly code: string }) => error
      )
      assert.strictEqual(refused.code, "PSP_UNAVAILABLE")
      const key = { pixKey: "ana@example.com", pixKeyType: "email" } as const
      const waiting = await pagora.withdrawals.create(shop, { amount: 40, ...key })
      // Whoever pays does so at a bank of their own.
      bank.pay(open.txid)
      await pass(3_600)
      assert.include(
        ["created", "processing"],
        (await pagora.withdrawals.find(shop, waiting.id)).status
      )
      await bank.comeBack()
      await pass(600)
      await story.statusIs(open.id, "completed")
      await eventually(() => bank.world.payouts[0])
      await pass(600)
      await ended(story, waiting.id, "completed")
      assert.strictEqual(bank.world.payouts.length, 1)
      await paid(story, 5)
      await agreed(story, 9_000)
    })

    it("sends no money that its bank does not hold, and sends it once it does", async (context) => {
      const story = await storyAt(name, context)
      const { bank, pagora, pass, shop } = story
      await paid(story, 50)
      bank.account.balance = 3_000
      const key = { pixKey: "ana@example.com", pixKeyType: "email" } as const
      const { id } = await pagora.withdrawals.create(shop, { amount: 40, ...key })
      const [review] = await eventually(async () => {
        const { data } = await pagora.reviews.list()
        return data.length === 1 ? data : undefined
      })
      assert.deepInclude(review, { id, reason: "psp_short" })
      await pass(7_200)
      const [psp] = (await pagora.psps.list()).data
      assert.deepInclude(psp, {
        balance: { available: 30, blocked: 0 },
        ledger: 50,
        difference: -20,
        waiting: { count: 1, amount: 40 }
      })
      assert.deepStrictEqual(bank.world.payouts, [])
      bank.account.balance = 5_000
      await pass(600)
      await eventually(() => bank.world.payouts[0])
      await ended(story, id, "completed")
      assert.strictEqual(bank.world.payouts.length, 1)
      assert.deepStrictEqual([bank.account.balance, await story.booked()], [1_000, 1_000])
      assert.deepStrictEqual((await pagora.reviews.list()).data, [])
      assert.isTrue((await pagora.audit()).ok)
    })
  }
)

describe.each(["efi", "inter"] as const)(
  "a shop at %s, which knows it by a token and a certificate",
  { timeout: 120_000 },
  (name) => {
    it("goes on while its token ends and its certificate is renewed", async (context) => {
      const story = await bankStory(name, context)
      const { bank, pass } = story
      const rounds = [1, 2, 3, 4, 5, 6]
      const all = rounds.map(async (amount) => {
        const charge = await story.pagora.charges.create(story.shop, { amount })
        const { txid } =
          bank.world.charges.find(({ terms }) => terms.centavos === amount * 100) ?? assert.fail()
        bank.pay(txid)
        await story.statusIs(charge.id, "completed")
      })
      bank.endTokens()
      await Promise.all(all)
      await story.renewCertificate()
      bank.endTokens()
      // The certificate is looked for each 100 milliseconds.
      await eventually(() =>
        story.charge(7, 600).then(
          (charge) => charge,
          () => undefined
        )
      )
      const charge = await paid(story, 8)
      const { id } = await story.withdraw(4)
      bank.endTokens()
      await ended(story, id, "completed")
      await story.pagora.refunds.request(story.shop, charge.id)
      // The charge that nobody pays ends meanwhile.
      await pass(86_400)
      await settled(story)
      await agreed(story, 2_100 - 400)
    })

    it("credits nothing by a callback that somebody else sent, or sends again", async (context) => {
      const story = await bankStory(name, context)
      const { bank, pass } = story
      const { endToEndId, txid } = await paid(story, 10)
      const open = await story.charge(20)
      const [url = ""] = [...bank.callbacks.webhooks.values()].map((webhook) => webhook.url)
      const told = (of: string, valor: string) => ({
        pix: [
          {
            endToEndId: of,
            txid: of === endToEndId ? txid : open.txid,
            chave: bank.pixKey,
            valor,
            horario: bank.clock.now().toISOString()
          }
        ]
      })
      const never = "E9999999920261123000000000000001"
      for (const shows of ["stranger", "nothing"] as const)
        assert.notInclude(await bank.callbacks.forge(url, told(never, "20.00"), shows), {
          status: 200
        })
      // The bank's own words, again and about what never was: they are asked about, and say nothing by themselves.
      await bank.callbacks.forge(url, told(endToEndId, "10.00"), "bank")
      await bank.callbacks.forge(url, told(never, "20.00"), "bank")
      // Another customer of the same bank has its callbacks sent to our address.
      const key = "99888777000166"
      bank.openAccount({ key, webhookUrl: url })
      bank.payKey({ key, centavos: 7_700 })
      await bank.callbacks.idle()
      await pass(600)
      assert.strictEqual(
        (await story.pagora.transactions.find(story.shop, open.id)).status,
        "pending"
      )
      await agreed(story, 1_000)
    })
  }
)

it.for(["efi", "woovi"] as const)(
  "has the money of payments at %s held that somebody reports, until the reports end",
  { timeout: 120_000 },
  async (name, context) => {
    const story = await storyAt(name, context)
    const { bank, pagora, pass, shop } = story
    const one = await paid(story, 10)
    const two = await paid(story, 20)
    const [first, second] = [one, two].map(({ endToEndId }) => bank.reportInfraction(endToEndId).id)
    const statuses = async () => {
      const { items } = await pagora.blocks.list(shop)
      return items.map(({ amount, status }) => `${amount} ${status}`).toSorted()
    }
    const become = (...expected: ReadonlyArray<string>) =>
      eventually(async () => {
        await pass(300)
        return String(await statuses()) === String(expected) ? expected : undefined
      })
    await become("10 awaiting_response", "20 awaiting_response")
    if (name === "efi") {
      const { data } = await pagora.blocks.page(shop)
      const block = data.find(({ amount }) => amount === 20) ?? assert.fail("There is no block.")
      await pagora.blocks.answer(block.id, { answer: "disagree", text: "Entregue, com recibo." })
      await become("10 awaiting_response", "20 defended")
      assert.deepInclude(bank.world.infractions.get(second ?? "")?.defence, {
        accepts: false,
        text: "Entregue, com recibo."
      })
    }
    bank.decideInfraction(first ?? "", "accepted")
    bank.decideInfraction(second ?? "", "rejected")
    await become("10 approved", "20 rejected")
    await agreed(story, 2_000)
  }
)

it("finds what is reported at efi, and answers it, by the service's clock and not the machine's", async (context) => {
  const story = await bankStory("efi", context)
  const { bank, pagora, pass, shop } = story
  // As by `POST /clock/advance` of the sandbox API.
  await pass(200 * 86_400)
  const { endToEndId } = await paid(story, 10)
  const { id } = bank.reportInfraction(endToEndId)
  const [block] = await eventually(async () => {
    await pass(300)
    const { data } = await pagora.blocks.page(shop)
    return data.length === 1 ? data : undefined
  })
  await pagora.blocks.answer(block?.id ?? "", { answer: "disagree", text: "Entregue." })
  await eventually(async () => {
    await pass(300)
    const { items } = await pagora.blocks.list(shop)
    return items[0]?.status === "defended" ? items : undefined
  })
  assert.deepInclude(bank.world.infractions.get(id)?.defence, { text: "Entregue." })
  bank.decideInfraction(id, "rejected")
  await eventually(async () => {
    await pass(300)
    const { items } = await pagora.blocks.list(shop)
    return items[0]?.status === "rejected" ? items : undefined
  })
  await agreed(story, 1_000)
}, 120_000)
