import { Context } from "effect"

/** Marks an endpoint that changes nothing, though its method is not GET: its answers acknowledge nothing (decision 0115). */
export const ChangesNothing = Context.Reference<boolean>("@pagora/core/http/ChangesNothing", {
  defaultValue: () => false
})
