import type { WebhookEvent, WebhookEvents } from "@pagora/core/webhook"

type Data = WebhookEvent["data"]
type NamesOf<Union> = Union extends unknown ? keyof Union : never
type FieldOf<Union, Name> = Union extends unknown
  ? Name extends keyof Union
    ? Union[Name]
    : never
  : never

/** An event as an endpoint received it, with the data that one kind or another has. */
export interface ReceivedEvent {
  readonly event: keyof WebhookEvents
  readonly eventId: string
  readonly timestamp: string
  readonly subAccount: string | null
  readonly data: { readonly [Name in NamesOf<Data>]?: FieldOf<Data, Name> }
}
