import { storageContract } from "@pagora/testkit"
import { layerFresh } from "./FreshDatabase.test-data.ts"

storageContract("PostgreSQL", layerFresh())
