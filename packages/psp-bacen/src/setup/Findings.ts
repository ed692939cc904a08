import type { Heard } from "../http/Heard.ts"

/** Why a call told nothing, in words that hold no secret. */
export const whyNot = (heard: Heard): string => {
  switch (heard._tag) {
    case "Answered":
      return "the answer does not fit"
    case "Refused":
      return `the bank answers ${heard.status}, ${heard.code}: ${heard.message}`
    default:
      return heard.detail
  }
}
