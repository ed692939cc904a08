import type { Checks } from "../bacen/BacenProtocol.ts"
import { Refused } from "../door/Exchange.ts"
import {
  answerFaults,
  callbackFaults,
  problemFaults,
  requestFaults,
  schemaFaults
} from "./OfficialFile.ts"

/** Something that is not as the Central Bank's file has it, and is neither a known defect of the file nor the bank's own way. */
export interface BankFinding {
  /** Whose it is: of whoever asked the bank, or of this package. */
  readonly by: "caller" | "bank"
  readonly operation: string
  /** What is wrong, a sentence each. */
  readonly faults: ReadonlyArray<string>
}

export interface Inspector extends Checks {
  readonly callback: (body: unknown) => void
  readonly found: ReadonlyArray<BankFinding>
  /** For what no file describes: the bank's own API. */
  readonly report: (finding: BankFinding) => void
}

export interface InspectorOptions {
  /** Whether a request that is not as it should be is refused. */
  readonly refuses: boolean
  /** Parameters of the bank's own, which the file does not know. */
  readonly ownParameters: ReadonlyArray<string>
}

/** Holds what comes in and goes out against the Central Bank's file. */
export const makeInspector = ({ ownParameters, refuses }: InspectorOptions): Inspector => {
  const found: Array<BankFinding> = []
  const report = (finding: BankFinding) => {
    if (finding.faults.length > 0) found.push(finding)
  }
  return {
    found,
    report,
    request: (asked, { body, operation }) => {
      const faults = [
        ...requestFaults(operation, asked, ownParameters),
        ...(body === undefined ? [] : schemaFaults(body, asked.json))
      ]
      report({ by: "caller", operation, faults })
      if (!refuses || faults.length === 0) return
      const violations = faults.map((razao) => ({ razao, propriedade: operation }))
      const detail = "A requisição não respeita o schema."
      throw new Refused({ status: 400, type: "RequisicaoInvalida", detail, violations })
    },
    answer: ({ operation }, status, body) =>
      report({ by: "bank", operation, faults: answerFaults(operation, status, body) }),
    problem: (body) => report({ by: "bank", operation: "problem", faults: problemFaults(body) }),
    callback: (body) => report({ by: "bank", operation: "callback", faults: callbackFaults(body) })
  }
}
