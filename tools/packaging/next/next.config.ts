import type { NextConfig } from "next"

const config: NextConfig = {
  serverExternalPackages: ["@pagora/core", "@pagora/postgres"]
}
export default config
