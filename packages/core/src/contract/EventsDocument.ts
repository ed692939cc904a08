import { eventTypes } from "../webhooks/EventTypes.ts"
import type { JsonSchema, Schemas } from "./SchemaText.ts"

/** The JSON Schema of everything that is sent to webhook endpoints: one definition for every kind of event. */
export const eventsDocument = ({
  components
}: {
  readonly components: { readonly schemas: Schemas }
}): Readonly<Record<string, unknown>> => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Webhook events",
  oneOf: eventTypes.map((type) => ({ $ref: `#/$defs/${type}` })),
  $defs: Object.fromEntries(
    eventTypes.map((type): [string, JsonSchema] => [
      type,
      components.schemas[`${type}_event`] ?? {}
    ])
  )
})
