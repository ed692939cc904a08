export { pagoraKoa } from "./PagoraKoa.ts"
