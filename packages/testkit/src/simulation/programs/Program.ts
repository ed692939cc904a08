import type { Chance } from "../../fuzz/Chance.ts"
import { drawMoney } from "./DrawMoney.ts"
import { drawRest } from "./DrawRest.ts"
import { drawRush, processesMax, rushed } from "./DrawRush.ts"
import { drawScene } from "./DrawScene.ts"
import { drawShops } from "./DrawShops.ts"
import type { ThemeScene } from "./DrawTheme.ts"
import { themes } from "./DrawTheme.ts"
import { drawOf, emphasised } from "./Drawing.ts"
import type { Draw, Drawing, Place } from "./Drawing.ts"
import type { Operation, Program } from "./Operation.ts"

/** Half of the time things happen at once or nearly so; now and then nothing does for a while. */
const gap = (chance: Chance): number => {
  const group = chance.below(20)
  if (group < 4) return 0
  if (group < 10) return chance.below(20)
  if (group < 19) return chance.below(800)
  return 1_000 + chance.below(12_000)
}

/** Where the next operation happens: mostly where the one before did, so that they meet. */
const placeOf = (drawing: Drawing, id: number): Place => {
  const { chance, drawn, shops } = drawing
  const before = drawn.at(-1)
  const busy = shops.flatMap(({ isSpectator }, index) => (isSpectator ? [] : index))
  const shop = before !== undefined && chance.happens(0.5) ? before.shop : chance.pick(busy)
  const wallets = ["principal", "principal", ...(shops[shop]?.subAccounts ?? [])]
  return {
    id,
    after: gap(chance),
    shop,
    wallet: chance.pick(wallets),
    process: chance.below(processesMax)
  }
}

const all: ReadonlyArray<Draw> = [...drawMoney, ...drawRest]

/** How often a rush begins, and a scene, of 1. */
const rushes = 0.04
const scenes = 0.05

/** A program of so many operations, in which one scene is played again and again where that is named. Of one chance it is one program. */
export const makeProgram = (chance: Chance, size: number, named?: ThemeScene): Program => {
  const theme = named && themes[named]
  const shops = drawShops(chance)
  const operations: Array<Operation> = []
  const [usual, inRushes] = [emphasised(chance, all), emphasised(chance, rushed)]
  const drawing: Drawing = { chance, shops, drawn: operations }
  while (operations.length < size) {
    const place = placeOf(drawing, operations.length)
    if (theme !== undefined && chance.happens(theme.share)) drawScene(drawing, place, theme.scene)
    else if (chance.happens(rushes)) drawRush(drawing, place, inRushes)
    else if (chance.happens(scenes)) drawScene(drawing, place)
    else operations.push(drawOf(chance, usual).draw(drawing, place))
  }
  return { shops, operations }
}
