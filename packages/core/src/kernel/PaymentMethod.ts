/**
 * How money travels: of every charge, refund and withdrawal the same. A second method makes it a field of theirs
 * (docs/recipes/add-a-payment-method.md).
 */
export const paymentMethod = "pix" as const
