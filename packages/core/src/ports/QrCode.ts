import { Context, Effect } from "effect"

/** Draws QR codes. A picture is never stored: it is made again from its text. */
export class QrCode extends Context.Service<
  QrCode,
  {
    /** A PNG of the text (ISO/IEC 18004, level M, quiet zone of four modules), in base64. */
    readonly png: (text: string) => Effect.Effect<string>
  }
>()("@pagora/core/ports/QrCode") {}
