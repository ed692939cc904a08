import { woovi } from "@pagora/psp-woovi"
import { defineConfig } from "@pagora/server"

const at = (name) =>
  woovi({
    appId: process.env[`${name}_APP_ID`],
    url: process.env[`${name}_URL`],
    environment: "production"
  })

/** A deployment with two PSPs, whose ids the test knows. */
export default defineConfig({
  psp: {
    default: process.env["ONE"],
    psps: { [process.env["ONE"]]: at("ONE"), [process.env["OTHER"]]: at("OTHER") }
  }
})
