import { tmpdir } from "node:os"
import { join } from "node:path"

/** Where tests find an embedded database to copy, those of one user: making one takes seconds, and most do not test that. */
export const templates = join(tmpdir(), `pagora-tests-${process.getuid?.() ?? 0}`)
