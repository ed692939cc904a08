import { pagoraExpress } from "@pagora/express"
import express from "express"
import { serveShop } from "./PagoraHost.ts"

await serveShop((pagora, path) => express().use(path, pagoraExpress(pagora)))
