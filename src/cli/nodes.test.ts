import { expect, test } from "bun:test";
import { makeDataFolder } from "../storage/data-folder/testing/make-data-folder.ts";
import { temporaryFolder } from "../testing/temporary-folder.ts";
import { runCli } from "./testing/run-cli.ts";

const folder = temporaryFolder();
await makeDataFolder(folder);

test.each([[["list"]], [["drain", "eu-1"]]])("without a database, nodes %p says what to give", async (command) => {
  const result = await runCli(["nodes", ...command], { VITRINE_DATA_DIR: folder });
  expect(result).toMatchObject({ status: 1, stdout: "" });
  expect(result.stderr).toContain("this server has no other nodes: its metadata is in the data folder");
  expect(result.stderr).toContain("with --database or VITRINE_DATABASE, such as postgres://");
});
