/** A dynamic copy-and-paste code (EMV QRCPS-MPM; BACEN, Manual de Padrões para Iniciação do Pix). */
export const brCode = (location: string, name: string, amount: string): string => {
  const account = `${field("00", "br.gov.bcb.pix")}${field("25", location)}`
  const fields = [
    field("00", "01"),
    field("01", "12"),
    field("26", account),
    field("52", "0000"),
    field("53", "986"),
    field("54", amount),
    field("58", "BR"),
    field("59", plain(name).slice(0, 25)),
    field("60", "SAO PAULO"),
    field("62", field("05", "***"))
  ].join("")
  return `${fields}6304${crc16(`${fields}6304`)}`
}

const field = (id: string, value: string) => `${id}${String(value.length).padStart(2, "0")}${value}`

/** Letters without accents: lengths are counted in bytes. */
const plain = (text: string) => text.normalize("NFD").replace(/[^\x20-\x7e]/g, "")

/** CRC-16/CCITT-FALSE. */
const crc16 = (text: string): string => {
  let crc = 0xffff
  for (const byte of Buffer.from(text, "ascii")) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021
    }
    crc &= 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, "0")
}
