/** Of the Central Bank's API, and of Efí's and Inter's own (Efí's PHP SDK, id 56822403651; INTER-PY). */
export const allScopes: ReadonlyArray<string> = [
  "cob.write",
  "cob.read",
  "pix.write",
  "pix.read",
  "webhook.write",
  "webhook.read",
  "pix.send",
  "gn.pix.send.read",
  "gn.balance.read",
  "gn.settings.write",
  "gn.settings.read",
  "gn.infractions.read",
  "gn.infractions.write",
  "gn.keys.bucket.read",
  "pagamento-pix.write",
  "pagamento-pix.read",
  "webhook-banking.write",
  "webhook-banking.read",
  "extrato.read"
]
