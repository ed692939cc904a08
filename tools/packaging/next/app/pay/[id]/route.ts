import { pagora } from "../../../lib/pagora"

/** Stands for the payer's bank. */
export const POST = async (_: Request, { params }: { params: Promise<{ id: string }> }) => {
  const { id } = await params
  const { sandbox } = await pagora()
  return Response.json(await sandbox.pay(id))
}
