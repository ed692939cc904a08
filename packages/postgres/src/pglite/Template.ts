import { PGlite } from "@electric-sql/pglite"
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"

/** All of it lies in this process, and is written to at the start; PostgreSQL's own 128 MB are for a server. */
const sharedBuffers = "32MB"

const begun = (data: string | undefined, loadDataDir?: Blob): Promise<PGlite> =>
  PGlite.create({
    ...(data === undefined ? {} : { dataDir: data }),
    ...(loadDataDir === undefined ? {} : { loadDataDir }),
    startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${sharedBuffers}`]
  })

/** Opens a database, which is made where there is none. */
export const openDatabase = (data: string | undefined): Promise<PGlite> => begun(data)

/**
 * Makes a database. PGlite takes seconds for it, so that one that was just made is kept in a directory, packed, and the
 * next one of the same version is a copy. What is kept is never needed: whatever does not let it be read, or be written,
 * costs the time that it would have saved.
 */
export const makeDatabase = async (
  data: string | undefined,
  templates: string | undefined
): Promise<PGlite> => {
  if (templates === undefined) return begun(data)
  const template = join(templates, `pglite-${versionOfPglite()}.tar.gz`)
  const packed = read(template)
  if (packed !== undefined) {
    try {
      return await begun(data, packed)
    } catch {
      // What it left of a directory would not let another be made there.
      if (data !== undefined) rmSync(data, { recursive: true, force: true })
    }
  }
  const fresh = await begun(data)
  await keep(fresh, template)
  return fresh
}

/** Each version has files of its own. */
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

/** Several may do so at once: each writes a file of its own, and the last one stays. */
const keep = async (fresh: PGlite, template: string): Promise<void> => {
  try {
    const packed = await fresh.dumpDataDir("gzip")
    mkdirSync(dirname(template), { recursive: true, mode: 0o700 })
    const draft = `${template}.${process.pid}`
    try {
      writeFileSync(draft, Buffer.from(await packed.arrayBuffer()), { mode: 0o600 })
      renameSync(draft, template)
    } finally {
      // Half a file, where the disk was full.
      rmSync(draft, { force: true })
    }
  } catch {
    // A disk that is full or not ours to write to.
  }
}
