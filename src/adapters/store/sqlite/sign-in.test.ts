import { afterEach, beforeEach, describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../domain/ports/store.ts";
import { accessContract } from "../contract/access.ts";
import { signInContract } from "../contract/sign-in.ts";
import { migrate } from "./migrate.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let store: Store;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-sign-in-"));
  await migrate(join(folder, "vitrine.db"));
  store = openSqliteStore(join(folder, "vitrine.db"));
});

afterEach(() => {
  store.close();
  rmSync(folder, { recursive: true });
});

describe("sign-in in SQLite", () => signInContract(() => store));
describe("access in SQLite", () => accessContract(() => store));
