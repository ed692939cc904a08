// Its types are those of Koa 3 where a mount uses them.
declare module "koa2" {
  export { default } from "koa"
}
