export const sortFields = ["createdAt", "updatedAt", "name"] as const
export const sortOrders = ["asc", "desc"] as const

/** Which part of a list is asked for. Pages count from 1. */
export interface ProjectQuery {
  readonly page: number
  readonly limit: number
  readonly sortBy: (typeof sortFields)[number]
  readonly sortOrder: (typeof sortOrders)[number]
}
