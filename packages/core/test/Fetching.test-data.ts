/** The stable code of a refusal over HTTP. */
export const codeOf = async (response: Response): Promise<unknown> => {
  const { details } = (await response.json()) as { readonly details?: { readonly code?: string } }
  return details?.code
}
