import { afterEach, beforeEach, describe } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../../domain/ports/store.ts";
import { outboxContract } from "../contract/outbox.ts";
import { webhookContract } from "../contract/webhooks.ts";
import { newGenerationCell } from "./generation.ts";
import { migrate } from "./migrate.ts";
import { openSqliteStore } from "./store.ts";

let folder: string;
let stores: [Store, Store];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "vitrine-webhooks-"));
  const file = join(folder, "vitrine.db");
  await migrate(file);
  const cell = newGenerationCell();
  stores = [openSqliteStore(file, cell), openSqliteStore(file, cell)];
});

afterEach(() => {
  for (const store of stores) store.close();
  rmSync(folder, { recursive: true });
});

describe("webhooks in SQLite", () =>
  webhookContract(
    () => stores[0],
    () => stores[1],
  ));
describe("the outbox in SQLite", () => outboxContract(() => stores[0]));
