// Its types are those of Express 5 where a mount uses them.
declare module "express4" {
  export { default } from "express"
}
