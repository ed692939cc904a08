import { pagoraKoa } from "@pagora/koa"
import Koa from "koa"
import { serveShop } from "./PagoraHost.ts"

await serveShop((pagora, prefix) => new Koa().use(pagoraKoa(pagora, { prefix })).callback())
