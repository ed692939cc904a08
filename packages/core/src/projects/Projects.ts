import { Context, Effect, Layer, Schema } from "effect"
import type { ActingWallet } from "../accounts/ActingWallet.ts"
import { walletOf } from "../accounts/ActingWallet.ts"
import type { AccountId, ProjectId, Uuid, WalletId } from "../kernel/Ids.ts"
import { refusedFor } from "../storage/DecideAgain.ts"
import type { IdempotencyKey, IdempotencyKeyTaken } from "../units/Idempotency.ts"
import { begun, keyTaken } from "../units/Idempotency.ts"
import { Ids } from "../time/Ids.ts"
import type { StorageError } from "../units/Refused.ts"
import { ServiceTime } from "../time/ServiceTime.ts"
import { Storage } from "../storage/Storage.ts"
import { foldedName, Project, ProjectKind } from "./Project.ts"
import type { ProjectQuery } from "./ProjectQuery.ts"

/** Projects of one wallet. */
const projectsMax = 10_000n
/** Of all wallets of an account together. */
const projectsOfAccountMax = 100_000n

/** Holds the names of all wallets' projects, each after its wallet's id. */
const nameSpace = "project"

/** Counts the projects of a wallet: each adds one, and none goes. */
const counterOf = (wallet: WalletId): string => `projects/${wallet}`
const counterOfAccount = (account: AccountId): string => `account_projects/${account}`

export interface NewProject {
  readonly name: string
  readonly color?: string
  readonly description?: string
  readonly logoUrl?: string
}

/** One page of a list, and how many there are in all. */
export interface ProjectPage {
  readonly items: ReadonlyArray<Project>
  readonly total: number
}

export class ProjectNotFound extends Schema.TaggedError<ProjectNotFound>()("ProjectNotFound", {
  id: Schema.String
}) {}

/** The wallet has a project of this name, up to the case of letters. */
export class ProjectNameTaken extends Schema.TaggedError<ProjectNameTaken>()("ProjectNameTaken", {
  name: Schema.String
}) {}

export class TooManyProjects extends Schema.TaggedError<TooManyProjects>()("TooManyProjects", {
  of: Schema.Literals(["wallet", "account"]),
  max: Schema.Int
}) {}

/** The projects of wallets. */
export class Projects extends Context.Service<
  Projects,
  {
    readonly create: (
      acting: ActingWallet,
      request: NewProject,
      key?: IdempotencyKey
    ) => Effect.Effect<
      Project,
      ProjectNameTaken | TooManyProjects | IdempotencyKeyTaken | StorageError
    >
    readonly list: (
      acting: ActingWallet,
      query: ProjectQuery
    ) => Effect.Effect<ProjectPage, StorageError>
    /** A project of this wallet: another's is not found. */
    readonly find: (
      wallet: WalletId,
      id: ProjectId
    ) => Effect.Effect<Project, ProjectNotFound | StorageError>
  }
>()("@pagora/core/projects/Projects") {
  static readonly layer: Layer.Layer<Projects, never, Storage | Ids | ServiceTime> = Layer.effect(
    Projects,
    Effect.gen(function* () {
      const storage = yield* Storage

      /**
       * Names are in the order of their folded spelling, by code points: no locale decides, so that every storage and every
       * process answers alike. A project never changes, so that the order of its changes is that of its making, and that of
       * its making is that of its id.
       */
      const pageOf = (wallet: WalletId, { limit, page, sortBy, sortOrder }: ProjectQuery) => {
        // Beyond the last one nothing is passed over.
        const skip = (page - 1) * limit
        if (skip >= Number(projectsMax)) return Effect.succeed([])
        const read = { order: sortOrder, skip, limit }
        return storage.positions(
          sortBy === "name"
            ? { ...read, space: nameSpace, under: wallet }
            : { ...read, wallet, kind: ProjectKind.name }
        )
      }
      const create = yield* makeCreate

      const list = Effect.fn("Projects.list")(function* (
        acting: ActingWallet,
        query: ProjectQuery
      ) {
        const wallet = walletOf(acting)
        const [ids, total] = yield* Effect.all(
          [pageOf(wallet, query), storage.counter(counterOf(wallet))],
          { concurrency: "unbounded" }
        )
        const found = ids.length === 0 ? [] : yield* storage.findMany(ProjectKind, ids)
        const byId = new Map<Uuid, Project>(found.map(({ value }) => [value.id, value]))
        return { items: ids.flatMap((id) => byId.get(id) ?? []), total: Number(total) }
      })

      const find = Effect.fnUntraced(function* (wallet: WalletId, id: ProjectId) {
        const project = yield* storage.find(ProjectKind, id)
        return project?.value.wallet === wallet ? project.value : yield* new ProjectNotFound({ id })
      })

      return Projects.of({ create, list, find })
    })
  )
}

/** Asks for the wallet's project, when it has exactly one, and answers where it will be. */
export const beginOnlyProject = (
  storage: Storage["Service"],
  wallet: WalletId
): Effect.Effect<Effect.Effect<Project | undefined, StorageError>> =>
  Effect.map(
    storage.beginLook([ProjectKind], { _tag: "Only", wallet, kind: ProjectKind.name }),
    Effect.map((found) => found?.entity?.value)
  )

const makeCreate = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const time = yield* ServiceTime

  return Effect.fn("Projects.create")(function* (
    acting: ActingWallet,
    request: NewProject,
    key?: IdempotencyKey
  ) {
    const id = yield* ids.next<ProjectId>()
    const createdAt = yield* time.now
    const account = acting.account.value.id
    const wallet = walletOf(acting)
    const project = new Project({ ...request, id, account, wallet, createdAt })
    yield* storage
      .commit({
        at: createdAt,
        inserts: [ProjectKind.row(project)],
        keys: [{ space: nameSpace, key: `${wallet}/${foldedName(project.name)}`, holder: id }],
        counters: [
          { key: counterOf(wallet), add: 1n, max: projectsMax },
          { key: counterOfAccount(account), add: 1n, max: projectsOfAccountMax }
        ],
        ...begun(key, id, ProjectKind.snapshot(project))
      })
      .pipe(
        keyTaken,
        refusedFor("DuplicateKey", "LimitExceeded"),
        Effect.catchTags({
          DuplicateKey: () => new ProjectNameTaken({ name: project.name }),
          LimitExceeded: ({ key: full }) =>
            full === counterOf(wallet)
              ? new TooManyProjects({ of: "wallet", max: Number(projectsMax) })
              : new TooManyProjects({ of: "account", max: Number(projectsOfAccountMax) })
        })
      )
    return project
  })
})
