import { execute } from "@pagora/testkit/postgres"

/** Makes a database of that name on a server, and answers its URL. */
export const newDatabase = async (server: string, name: string): Promise<string> => {
  await execute(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
