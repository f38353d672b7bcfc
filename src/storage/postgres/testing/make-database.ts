import { SQL } from "bun";
import { testServer } from "./server.ts";

/** Makes an empty database and returns its URL. */
export async function makeDatabase(options = ""): Promise<string> {
  const server = testServer();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const admin = new SQL(`postgres://vitrine@${server}/postgres`, { max: 1 });
  await admin.unsafe(`CREATE DATABASE ${name} ${options}`);
  await admin.close();
  return `postgres://vitrine@${server}/${name}`;
}
