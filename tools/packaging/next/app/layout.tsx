import type { ReactNode } from "react"

const Layout = ({ children }: { children: ReactNode }) => (
  <html lang="pt-BR">
    <body>{children}</body>
  </html>
)
export default Layout
