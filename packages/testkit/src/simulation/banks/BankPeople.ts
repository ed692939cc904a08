import type { Payer } from "@pagora/core"
import type { Chance } from "../../fuzz/Chance.ts"

/** Somebody who pays, or is paid: mostly a person, now and then a company. */
export const aPerson = (chance: Chance): Payer => chance.pick(people)

/** Invented, with numbers that are used in examples all over Brazil. */
const people: ReadonlyArray<Payer> = [
  { name: "Ana Beatriz Souza", document: "12345678909" },
  { name: "João Pedro Lima", document: "11144477735" },
  { name: "Maria Clara Oliveira", document: "52998224725" },
  { name: "Empresa Fictícia Ltda", document: "11222333000181" }
]
