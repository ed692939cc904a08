import { Schema } from "effect"
import { AccountId, ProjectId, WalletId } from "../kernel/Ids.ts"
import * as Kind from "../units/Kind.ts"

/**
 * What a wallet's owner sorts charges and withdrawals by. A project never changes and never goes, so that
 * whoever has found one may name it without expecting its version (decision 0023).
 */
export class Project extends Schema.Class<Project>("@pagora/core/projects/Project")({
  id: ProjectId,
  account: AccountId,
  /** The main account's projects and each sub-account's are apart. */
  wallet: WalletId,
  /** As the caller spelled it, without space around it. */
  name: Schema.String,
  color: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  logoUrl: Schema.optionalKey(Schema.String),
  createdAt: Schema.DateTimeUtcFromString
}) {}

export const ProjectKind: Kind.Kind<Project> = Kind.make({
  name: "project",
  table: "registry",
  schema: Project,
  refField: "name",
  bornField: "createdAt",
  columns: (project) => ({
    id: project.id,
    account: project.account,
    wallet: project.wallet,
    status: "active",
    ref: project.name
  })
})

/** An index of PostgreSQL takes 2,700. */
const foldedBytesMax = 2_600

/**
 * One spelling for all that differ in the case of letters or in how accents are composed (spec: unique names). What
 * grows beyond an index by it, as a name of a few hundred musical symbols does, keeps its accents as they were sent.
 */
export const foldedName = (name: string): string => {
  // Down before up: some capitals (ẞ, K) have no capital of their own.
  const folded = name.normalize("NFC").toLowerCase().toUpperCase().normalize("NFC")
  return new TextEncoder().encode(folded).length <= foldedBytesMax
    ? folded
    : name.toLowerCase().toUpperCase()
}
