/** E.164: a plus, a country's code and 15 digits in all. Seven is the shortest that is in use anywhere. */
const international = /^\+[1-9]\d{6,14}$/
/** Area code, and 8 digits of a landline or a 9 and 8 of a mobile. */
const brazilian = /^(?:\+?55)?[1-9]{2}(?:[2-5]\d{7}|9\d{8})$/

/**
 * Whether a text is a telephone number as people write it: of E.164, or a Brazilian one without its country. Between digits
 * there may be a space, a hyphen or a dot, and the area code may stand in parentheses.
 */
export const isPhone = (text: string): boolean => {
  if (!/^(?:\+\d{1,3}[ .-]?)?(?:\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d+(?:[ .-]\d+)*$/.test(text))
    return false
  const digits = text.replaceAll(/[^+\d]/g, "")
  // What begins with Brazil's code is held to Brazil's plan.
  return digits.startsWith("+55")
    ? brazilian.test(digits)
    : international.test(digits) || brazilian.test(digits)
}
