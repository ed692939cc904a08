import type { OperatorBody } from "@pagora/core/client"
import { Option, Result } from "effect"
import { Flag } from "effect/cli"
import { readBrl, readPercent, shownBrl } from "./Brl.ts"
import { given } from "./Given.ts"
import { reading } from "./OperatorConnection.ts"
import type { ShownPsps } from "./AccountPsps.ts"
import { pspsFlag, shownPsps } from "./AccountPsps.ts"

type Terms = OperatorBody<"accounts", "change">
type Fees = NonNullable<Terms["fees"]>
type FeeSchedule = NonNullable<Fees["payment"]>
type Limits = NonNullable<Terms["limits"]>
type Limit = NonNullable<Limits["charge"]>

type ReadPart = (text: string) => Result.Result<number, string>

/** Reads `min=1,max=5000` by the parts that may stand there; `none` names nothing. */
const readParts =
  <Name extends string>(parts: Readonly<Record<Name, ReadPart>>) =>
  (text: string): Result.Result<Partial<Record<Name, number>>, string> => {
    const known = Object.keys(parts) as ReadonlyArray<string> as ReadonlyArray<Name>
    const read: Partial<Record<Name, number>> = {}
    for (const part of text === "none" ? [] : text.split(",")) {
      const [name = "", value = "", ...more] = part.split("=").map((one) => one.trim())
      const isKnown = known.some((one) => one === name) && more.length === 0
      if (!isKnown || Object.hasOwn(read, name)) {
        return Result.fail(
          `none, or parts such as ${known[0]}=1.50, each once: ${known.join(", ")}`
        )
      }
      const number = parts[name as Name](value)
      if (Result.isFailure(number)) return Result.fail(`for ${name} ${number.failure}`)
      read[name as Name] = number.success
    }
    return Result.succeed(read)
  }

const readFee = readParts({ fixed: readBrl, percent: readPercent, min: readBrl, max: readBrl })
const readLimit = readParts({ min: readBrl, max: readBrl, daily: readBrl, monthly: readBrl })

const feeFlag = (kind: string, of: string) =>
  Flag.String(`fee-${kind}`).pipe(
    Flag.withMetavar("fixed=0.50,percent=1,min=..,max=.."),
    Flag.withDescription(`What ${of} costs the account, replaced whole; none for nothing`),
    reading((text) => readFee(text)),
    Flag.optional
  )

const limitFlag = (kind: string, of: string) =>
  Flag.String(`limit-${kind}`).pipe(
    Flag.withMetavar("min=1,max=5000,daily=..,monthly=.."),
    Flag.withDescription(`Bounds of ${of} in BRL, replaced whole; none for none`),
    reading((text) => readLimit(text)),
    Flag.optional
  )

export const feeFlags = {
  feePayment: feeFlag("payment", "a payment that comes in"),
  feeWithdrawal: feeFlag("withdrawal", "a withdrawal"),
  feeRefund: feeFlag("refund", "a refund")
}

/** Fees, limits, policy and PSPs of an account. */
export const termsFlags = {
  ...feeFlags,
  limitCharge: limitFlag("charge", "a charge"),
  limitWithdrawal: limitFlag("withdrawal", "withdrawals"),
  blockCnpjPayers: Flag.Boolean("block-cnpj-payers").pipe(
    Flag.withNegation("allow-cnpj-payers"),
    Flag.withDescription("Return payments of companies; --allow-cnpj-payers takes them"),
    Flag.optional
  ),
  onUnknownPayer: Flag.Literals("on-unknown-payer", ["accept", "return"]).pipe(
    Flag.withDescription("What becomes of a payment whose payer the PSP does not name"),
    Flag.optional
  ),
  psps: pspsFlag
}

interface GivenFees {
  readonly feePayment: Option.Option<FeeSchedule>
  readonly feeWithdrawal: Option.Option<FeeSchedule>
  readonly feeRefund: Option.Option<FeeSchedule>
}

interface Given extends GivenFees {
  readonly limitCharge: Option.Option<Limit>
  readonly limitWithdrawal: Option.Option<Limit>
  readonly blockCnpjPayers: Option.Option<boolean>
  readonly onUnknownPayer: Option.Option<"accept" | "return">
  readonly psps: Option.Option<NonNullable<Terms["psps"]>>
}

const whole = <A extends object>(part: A): Option.Option<A> =>
  Object.keys(part).length === 0 ? Option.none() : Option.some(part)

/** The schedules as the API takes them; none, where no flag was given. */
export const feesOf = ({ feePayment, feeRefund, feeWithdrawal }: GivenFees): Option.Option<Fees> =>
  whole(given({ payment: feePayment, withdrawal: feeWithdrawal, refund: feeRefund }))

/** The terms as the API takes them; what was not given stays as it is. */
export const termsOf = (flags: Given): Pick<Terms, "fees" | "limits" | "policy" | "psps"> =>
  given({
    fees: feesOf(flags),
    limits: whole(given({ charge: flags.limitCharge, withdrawal: flags.limitWithdrawal })),
    policy: whole(
      given({ blockCnpjPayers: flags.blockCnpjPayers, onUnknownPayer: flags.onUnknownPayer })
    ),
    psps: flags.psps
  })

const shownParts = (parts: object | undefined): string | undefined => {
  const texts = Object.entries(parts ?? {}).map(([name, value]) =>
    name === "percent" ? `${String(value)} %` : `${name} ${shownBrl(Number(value))}`
  )
  return texts.length === 0 ? undefined : texts.join(", ")
}

export const shownFees = ({ payment, refund, withdrawal }: Fees) =>
  [
    ["Fee of a payment", shownParts(payment)],
    ["Fee of a withdrawal", shownParts(withdrawal)],
    ["Fee of a refund", shownParts(refund)]
  ] as const

/** Terms as lines for a person. */
export const shownTerms = ({
  fees = {},
  limits = {},
  policy = {},
  psps
}: Omit<Terms, "psps"> & { readonly psps?: ShownPsps | undefined }) =>
  [
    ...shownFees(fees),
    ["Limit of a charge", shownParts(limits.charge)],
    ["Limit of withdrawals", shownParts(limits.withdrawal)],
    ["Payers with a CNPJ", policy.blockCnpjPayers === true ? "returned" : undefined],
    ["Unknown payers", policy.onUnknownPayer],
    ...shownPsps(psps)
  ] as const
