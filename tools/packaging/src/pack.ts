// Packs every package into the folder `dist` of the workspace, ready for `npm publish <tarball>`, and checks
// the tarballs (decision 0049): `npm run pack`. With `--check` the tarballs are not kept.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { contentFaults } from "./Contents.ts"
import { publintFaults, typeFaults } from "./Lint.ts"
import { publishedPackages, root } from "./Packages.ts"
import { succeed } from "./Run.ts"
import type { Tarball } from "./Tarball.ts"
import { pack } from "./Tarball.ts"

const isKept = !process.argv.includes("--check")
const folder = isKept ? join(root, "dist") : mkdtempSync(join(tmpdir(), "pagora-pack-"))
mkdirSync(folder, { recursive: true })
for (const file of readdirSync(folder)) if (file.endsWith(".tgz")) rmSync(join(folder, file))

const report = ({ bytes, files, name }: Tarball) =>
  console.log(
    `${name.padEnd(18)} ${String(Math.round(bytes.length / 1024)).padStart(4)} kB  ${files.size} files`
  )

try {
  await succeed(process.execPath, ["scripts/build.mjs"], { folder: root })
  const tarballs = await Promise.all(
    publishedPackages().map((published) => pack(published, folder))
  )
  for (const tarball of tarballs) report(tarball)
  const faults = await Promise.all(
    tarballs.map(async (tarball) => [
      ...contentFaults(tarball),
      ...(await publintFaults(tarball)),
      ...(await typeFaults(tarball))
    ])
  )
  for (const fault of faults.flat()) console.error(fault)
  if (faults.flat().length > 0) process.exitCode = 1
  else if (isKept) console.log(`\nThe tarballs are in ${folder}.`)
} finally {
  if (!isKept) rmSync(folder, { recursive: true, force: true })
}
