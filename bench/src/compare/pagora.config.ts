import { psp, transport } from "./Shop.ts"

/** The deployment that `pagora serve` is measured with. */
export default { psp: psp(), transport: transport() }
