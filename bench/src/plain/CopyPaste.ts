import { toBrl } from "./Money.ts"

const object = (id: string, value: string): string =>
  `${id}${String(value.length).padStart(2, "0")}${value}`

/** CRC-16/CCITT-FALSE. */
const crc16 = (text: string): string => {
  let crc = 0xffff
  for (let at = 0; at < text.length; at++) {
    crc ^= text.charCodeAt(at) << 8
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return (crc & 0xffff).toString(16).toUpperCase().padStart(4, "0")
}

/** The code that payers copy: dynamic, for one payment (EMV QR Code Specification, merchant presented mode). */
export const copyPaste = (txid: string, centavos: number): string => {
  const location = `pix.example.com/qr/v2/${txid}`
  const unsigned = [
    object("00", "01"),
    object("01", "12"),
    object("26", object("00", "br.gov.bcb.pix") + object("25", location)),
    object("52", "0000"),
    object("53", "986"),
    object("54", toBrl(centavos).toFixed(2)),
    object("58", "BR"),
    object("59", "LOJA AZUL"),
    object("60", "SAO PAULO"),
    object("62", object("05", "***")),
    "6304"
  ].join("")
  return unsigned + crc16(unsigned)
}
