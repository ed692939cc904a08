import { eventSchemas } from "./EventSchemas.ts"

export type EventType = keyof typeof eventSchemas

/** Every kind of event that an endpoint can ask for (spec, Event kinds): each that has a schema. */
export const eventTypes = Object.keys(
  eventSchemas
) as ReadonlyArray<string> as ReadonlyArray<EventType>
