import type { KeyObject } from "node:crypto"
import { createPrivateKey } from "node:crypto"

/** The same in every run: what it signs comes out alike. It is no secret, and proves nothing. */
export const keyOfNobody = (): KeyObject =>
  createPrivateKey({
    key: Buffer.from(
      [
        "MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBALJHZinBaVdmBZmGxecKZ44LmvKnMzB4+rGItSxyxtq9i/2J",
        "yQa0ZpVqH+3wpFWh+VRsLbjVsZbVvmwVqwsqMryZwfWW8ZkCdi4PRsna8fGA/x4UGhtJjrJFvINm7ZHo749AMt2hmGaeVORe",
        "EpnjJuG+Ih6yUTSh/3Nctewx6wtnAgMBAAECgYA2G+uLEtPZHfLnJPud4w+JEkamDU9BEAbuqVJrui5Wp578hbxI16onAT3N",
        "pvMJto6JLAg4iEtNP3R7M5xlWBprl4e1PTntxVoeLeJMwK9RfvJaAQtAfc37xhbniVnb5g+2CXaEoNb4VCF5UiHm9uKUMYT3",
        "DQHfenIN7F5/dihLmQJBAOkCiEDCqzyPZKfsFg5XQx8HccZjYBgFoGHW02pOsCDHWijMAbrsz+GR3Z3u+lc6HwGGe97i8VU2",
        "1X6g2ugMQOsCQQDD3nJ1todWAopxZlQpUd9ZpHfdkqzRGzCmH+qydTE+PuIg1BYyvOw4M6+Pdh6dwYDNPzvkD1bfDxAmH7nn",
        "nCB1AkEA6DPr0I2u07UaW/V7rWLsstlaWpfhxU6mG5pYKVKtVp0TjiBvgPZJ28LfFWp388Ep8P0yKFYEpiT08TIftKuxbQJB",
        "AJxwdwr9lmpj7R9Vk7LM6Y83hWU7WTxKczi8FUAjygjlQMbnnjM4IZNh9L6ooRtvCejksHkep0vRRByvClSqpmECQCQRGd+Y",
        "A1QkkKcW9MQC9vVd0fwaUMN/V7Ai6p8usk5vRIAk0ikBi6iGQtdSlhQdVBjWCeXTOvq1/bTysclnXTo="
      ].join(""),
      "base64"
    ),
    format: "der",
    type: "pkcs8"
  })
