import { Schema } from "effect"
import { AccountId, ProjectId, Uuid, WalletId } from "../kernel/Ids.ts"
import * as Kind from "../ports/Kind.ts"
import type { Project } from "./Project.ts"
import { foldedName } from "./Project.ts"

/** What a list is counted and sorted by. */
const IndexEntry = Schema.Struct({ id: ProjectId, name: Schema.String })
export type IndexEntry = typeof IndexEntry.Type

/** Parts of a wallet's index: few enough to read them all, many enough that two creates seldom meet in one. */
export const indexParts = 32

/** The part that a project belongs to. Its id ends in chance, so that a project that is decided anew goes elsewhere. */
export const partOf = (id: ProjectId): number => Number.parseInt(id.slice(-2), 16) % indexParts

/**
 * A part of the index over a wallet's projects. A page of the list costs the names of all of them and the documents
 * of those it shows (decision 0024).
 */
export class ProjectIndex extends Schema.Class<ProjectIndex>("@pagora/core/projects/ProjectIndex")({
  id: Uuid,
  account: AccountId,
  wallet: WalletId,
  projects: Schema.Array(IndexEntry)
}) {}

export const ProjectIndexKind: Kind.Kind<ProjectIndex> = Kind.make({
  name: "project_index",
  table: "registry",
  schema: ProjectIndex,
  columns: (index) => ({
    id: index.id,
    account: index.account,
    wallet: index.wallet,
    status: "active"
  })
})

/** The part with one project more. */
export const withProject = (index: ProjectIndex, { id, name }: Project): ProjectIndex =>
  new ProjectIndex({ ...index, projects: [...index.projects, { id, name }] })

export const sortFields = ["createdAt", "updatedAt", "name"] as const
export const sortOrders = ["asc", "desc"] as const

/** Which part of a list is asked for. Pages count from 1. */
export interface ProjectQuery {
  readonly page: number
  readonly limit: number
  readonly sortBy: (typeof sortFields)[number]
  readonly sortOrder: (typeof sortOrders)[number]
}

/**
 * The ids of one page. Names are ordered by their folded spelling (unique in a wallet), by UTF-16 code
 * units: no locale decides, so that every storage and every process answers alike. A project never changes, so
 * that the order of its changes is that of its making, and that of its making is that of its id.
 */
export const pageOf = (
  entries: ReadonlyArray<IndexEntry>,
  { limit, page, sortBy, sortOrder }: ProjectQuery
): ReadonlyArray<ProjectId> => {
  const sorted =
    sortBy === "name"
      ? entries
          .map((entry) => ({ ...entry, folded: foldedName(entry.name) }))
          .toSorted(
            (left, right) => compare(left.folded, right.folded) || compare(left.id, right.id)
          )
      : entries.toSorted((left, right) => compare(left.id, right.id))
  const from = (page - 1) * limit
  return (sortOrder === "asc" ? sorted : sorted.toReversed())
    .slice(from, from + limit)
    .map(({ id }) => id)
}

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)
