import { Pagora } from "@pagora/core"
import { sandbox } from "@pagora/core/sandbox"
import { postgres } from "@pagora/postgres"
import { pglite } from "@pagora/postgres/pglite"

const { DATABASE_URL, PAGORA_SECRET } = process.env

/** The service: in PostgreSQL where there is one, else in the folder `data`. */
export const startPagora = () =>
  Pagora.start({
    storage:
      DATABASE_URL === undefined ? pglite({ dataDir: "data" }) : postgres({ url: DATABASE_URL }),
    psp: sandbox(),
    secret: PAGORA_SECRET,
    basePath: "/v2"
  })
