import { storageAgreement, storageContract } from "@pagora/testkit"
import { layerMemory } from "../../src/storage-memory/StorageMemory.ts"

storageContract("memory", layerMemory)
storageAgreement("memory", layerMemory, { seeds: Array.from({ length: 25 }, (_, seed) => seed) })
