/** What is missing in a Node that is too old, as a sentence; undefined where it will do, and where it is no Node. */
export const nodeVersionFault = (version: string | undefined): string | undefined => {
  const [major = 0, minor = 0] = (version ?? "99").split(".").map(Number)
  if (major > 22 || (major === 22 && minor >= 19)) return undefined
  return `Pagora needs Node.js 22.19 or newer (24 is best), and this is ${version}: start your program with a newer one.`
}

/** Of the process that runs. */
export const runningNodeFault = (): string | undefined => nodeVersionFault(process.versions.node)
