import { expect, test } from "bun:test";
import { buildClient } from "../scripts/bundle-client.ts";

const { program, modules } = await buildClient();

/** What the client shares with the server: the domain's rules for names and texts, and a few files. */
const SHARED = [
  "src/domain/",
  "src/config/config-error.ts",
  "src/config/spelling.ts",
  "src/config/version.ts",
  "src/storage/data-folder/file-target.ts",
];

test("the client for Node.js contains no part of the server", () => {
  const own = modules.filter((module) => module.startsWith("src/") && !module.startsWith("src/cli/"));
  const strangers = own.filter((module) => !SHARED.some((place) => module.startsWith(place)));
  expect(strangers).toEqual(["src/client-main.ts"]);
});

test("the client for Node.js uses nothing of Bun", () => {
  expect(program.match(/\bBun\b[.[`]\w*|"bun(?::\w+)?"/g)).toBeNull();
  const imported = [...program.matchAll(/\bfrom"([^"]+)"|\bimport"([^"]+)"/g)].map(([, from, alone]) => from ?? alone);
  expect(imported.filter((name) => !name?.startsWith("node:"))).toEqual([]);
});
