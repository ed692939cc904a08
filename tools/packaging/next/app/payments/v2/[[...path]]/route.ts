import { pagora } from "../../../../lib/pagora"

const payments = async (request: Request) => (await pagora()).fetch(request)
export { payments as GET, payments as POST, payments as PATCH, payments as DELETE }
