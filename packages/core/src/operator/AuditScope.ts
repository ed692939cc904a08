/** What an audit looks at: everything, or what is new since the last one in the background. */
export const auditScopes = ["complete", "recent"] as const
