import { copyPaste } from "./CopyPaste.ts"

/** Our own id of the credential at the PSP, as answers name it. */
export const pspCredentialId = "00000000-0000-7000-8000-0000000000c1"

/** The PSP in memory: it takes everything and answers at once, for its time is not what is measured. */
export const psp = {
  createCharge: async (txid: string, centavos: number) => ({
    pspPaymentId: txid,
    copyPaste: copyPaste(txid, centavos)
  }),
  sendPayout: async (id: string) => ({
    pspReference: id,
    endToEndId: `E12345678${id.replaceAll("-", "").slice(-23)}`,
    settledAt: new Date()
  })
}
