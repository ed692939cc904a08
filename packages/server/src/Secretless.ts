const secretName = /SECRET|KEY|PASS|TOKEN|CREDENTIAL/iu
/** What is shorter may be any word. */
const secretLengthMin = 8

/**
 * The sentence of somebody else's error, such as that of a PSP's layer, without what stands in the environment to be kept
 * secret, and without the credentials of URLs; those of an example, `user:password`, are none.
 */
export const withoutSecrets = (
  sentence: string,
  environment: Readonly<Record<string, string | undefined>> = process.env
): string =>
  Object.entries(environment)
    .flatMap(([name, value = ""]) =>
      secretName.test(name) && !name.endsWith("_FILE") && value.length >= secretLengthMin
        ? [value]
        : []
    )
    .reduce((text, secret) => text.replaceAll(secret, "***"), sentence)
    .replace(/\/\/(?!user:password@)[^\s/@]*@/gu, "//***@")
