import { PGlite } from "@electric-sql/pglite"
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { schemaFingerprint } from "../Migrations.ts"

/** All of it lies in this process, and is written to at the start; PostgreSQL's own 128 MB are for a server. */
const sharedBuffers = "32MB"
/** A new database has one segment of its log, all of which is copied; PostgreSQL's own size is 16 MB. */
const logSegment = "1"

const begun = (data: string | undefined, loadDataDir?: Blob): Promise<PGlite> =>
  PGlite.create({
    ...(data === undefined ? {} : { dataDir: data }),
    ...(loadDataDir === undefined ? {} : { loadDataDir }),
    initDbStartParams: [`--wal-segsize=${logSegment}`],
    startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${sharedBuffers}`]
  })

/** Opens a database, which is made where there is none. */
export const openDatabase = (data: string | undefined): Promise<PGlite> => begun(data)

/** A copy of the database that `keepTemplate` has kept; undefined where there is none that opens. */
export const copyTemplate = async (
  data: string | undefined,
  templates: string
): Promise<PGlite | undefined> => {
  const packed = read(fileOf(templates))
  if (packed === undefined) return undefined
  try {
    return await begun(data, packed)
  } catch {
    // What it left of a directory would not let another be made there.
    if (data !== undefined) rmSync(data, { recursive: true, force: true })
    return undefined
  }
}

/**
 * Keeps a database packed in a directory, so that the next new one is a copy of it: making one, with its schema, takes
 * PGlite seconds. What is kept is never needed: whatever does not let it be read, or be written, costs the time that it
 * would have saved. Several may do so at once: each writes a file of its own, and the last one stays.
 */
export const keepTemplate = async (fresh: PGlite, templates: string): Promise<void> => {
  try {
    await dropSpares(fresh)
    // What a copy would else have to recover from the log, each time.
    await fresh.exec("checkpoint")
    const packed = await fresh.dumpDataDir("gzip")
    mkdirSync(templates, { recursive: true, mode: 0o700 })
    const template = fileOf(templates)
    const draft = `${template}.${process.pid}`
    try {
      writeFileSync(draft, Buffer.from(await packed.arrayBuffer()), { mode: 0o600 })
      renameSync(draft, template)
      forgetOthers(templates, template)
    } finally {
      // Half a file, where the disk was full.
      rmSync(draft, { force: true })
    }
  } catch {
    // A disk that is full or not ours to write to.
  }
}

/**
 * Those from which PostgreSQL makes other databases: there never is another one, and they are half of all that a copy has to
 * unpack. One that others are made from cannot be dropped.
 */
const dropSpares = async (fresh: PGlite): Promise<void> => {
  const spares = ["template0", "template1"]
  await fresh.query("update pg_database set datistemplate = false where datname = any($1)", [
    spares
  ])
  for (const spare of spares) await fresh.exec(`drop database ${spare}`)
}

/** Each version of PGlite has files of its own, and each version of our schema has tables of its own. */
const fileOf = (templates: string): string =>
  join(templates, `pglite-${versionOfPglite()}-${schemaFingerprint}.tar.gz`)

/** Those of other versions go once nobody has made them for so long. */
const forgetOthers = (templates: string, kept: string): void => {
  const over = Date.now() - keptMillis
  for (const name of readdirSync(templates)) {
    const path = join(templates, name)
    if (path !== kept && name.startsWith("pglite-") && statSync(path).mtimeMs < over)
      rmSync(path, { force: true })
  }
}

const keptMillis = 30 * 24 * 60 * 60 * 1000

const versionOfPglite = (): string => {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite")
  const { version } = JSON.parse(
    readFileSync(join(dirname(entry), "..", "package.json"), "utf8")
  ) as { readonly version: string }
  return version
}

/** Undefined where there is none, and where it is damaged. */
const read = (template: string): Blob | undefined => {
  try {
    // Unpacked here, where its checksum can be minded: PGlite rejects a promise of its own that nobody hears of.
    return new Blob([gunzipSync(readFileSync(template))], { type: "application/x-tar" })
  } catch {
    return undefined
  }
}
