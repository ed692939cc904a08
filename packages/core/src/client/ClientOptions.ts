/** How to reach the service, and as whom. */
export interface ClientOptions {
  /** Ends in the version segment, such as `https://pay.example.com/v2`. */
  readonly baseUrl: string
  readonly clientId: string
  readonly clientSecret: string
  /** Acts on this sub-account, unless a call names another. The main account without it. */
  readonly subAccount?: string
  /** Milliseconds that one try may take, its answer read. 30,000 unless told. */
  readonly timeoutMillis?: number
  /** How often a call is made again after the first try came to nothing. 3 unless told. */
  readonly retries?: number
}

export const timeoutMillisDefault = 30_000
export const retriesDefault = 3

/** Throws a TypeError for what could never work, so that it shows at the start and not at the first payment. */
export const checkOptions = (options: ClientOptions): void => {
  if (!/^https?:\/\//.test(options.baseUrl) || !URL.canParse(options.baseUrl)) {
    throw new TypeError("baseUrl must be an address such as https://pay.example.com/v2.")
  }
  for (const name of ["clientId", "clientSecret"] as const) {
    if (typeof options[name] !== "string" || options[name] === "") {
      throw new TypeError(`${name} is empty. Is its environment variable set?`)
    }
  }
  const { retries = retriesDefault, timeoutMillis = timeoutMillisDefault } = options
  if (!Number.isSafeInteger(retries) || retries < 0) {
    throw new TypeError("retries must be a whole number from 0 up.")
  }
  if (!Number.isSafeInteger(timeoutMillis) || timeoutMillis < 1) {
    throw new TypeError("timeoutMillis must be a whole number from 1 up.")
  }
}
