export * as Listener from "./Listener.ts"
export * as QrCodeNode from "./QrCodeNode.ts"
export * as SecretsNode from "./SecretsNode.ts"
export * as WebhookTransportNode from "./WebhookTransportNode.ts"
