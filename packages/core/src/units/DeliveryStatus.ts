/** `exhausted`: given up. `resent`: given up, and its event went out again as another delivery. */
export const deliveryStatuses = ["queued", "delivered", "exhausted", "cancelled", "resent"] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]
