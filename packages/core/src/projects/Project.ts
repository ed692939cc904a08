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

/**
 * One spelling for all that differ in the case of letters or in how accents are composed (spec: unique names).
 * The longest name grows to less than 2,700 bytes by it, which is what an index of PostgreSQL takes.
 */
export const foldedName = (name: string): string =>
  // Down before up: some capitals (ẞ, K) have no capital of their own.
  name.normalize("NFC").toLowerCase().toUpperCase().normalize("NFC")
