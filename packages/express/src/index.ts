export { pagoraExpress } from "./PagoraExpress.ts"
