export const register = async () => {
  if (process.env["NEXT_RUNTIME"] === "nodejs") await (await import("./lib/pagora")).pagora()
}
