/**
 * Whether the driver can take a URL, and it says what was meant. What it refuses itself it takes for a database that is not
 * there yet, and keeps as a cause, with the password in it.
 */
export const isReadable = (given: string): boolean => {
  if (!URL.canParse(given)) return false
  const { hash, hostname, password, pathname, port, protocol, searchParams, username } = new URL(
    given
  )
  const parameters = [...searchParams]
  return (
    /^postgres(ql)?:$/.test(protocol) &&
    port !== "0" &&
    [hostname, username, password, pathname].every(isDecodable) &&
    // Where a password has a sign that a URL ends its host with, the rest of it stands behind the host.
    hash === "" &&
    !pathname.includes("@") &&
    parameters.every(([name]) => !name.includes("@")) &&
    parameters.every(isParameter)
  )
}

const isDecodable = (part: string): boolean => {
  try {
    return !decodeURIComponent(part).includes("\0")
  } catch {
    return false
  }
}

/** Of those that the driver reads. */
const isParameter = ([name, value]: readonly [string, string]): boolean => {
  switch (name) {
    case "port":
      return /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535
    case "connect_timeout":
      return /^\d+$/.test(value)
    case "sslmode":
      return sslModes.has(value)
    default:
      return !value.includes("\0")
  }
}

const sslModes = new Set(["disable", "allow", "prefer", "require", "verify-ca", "verify-full"])
