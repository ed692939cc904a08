import { storageContract } from "@pagora/testkit"
import { pglite } from "../src/pglite/index.ts"

storageContract("PGlite", pglite())
