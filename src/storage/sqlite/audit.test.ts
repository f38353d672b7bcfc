import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { integrityProblems } from "./integrity.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

const entry = {
  at: 1,
  kind: "session",
  actor: "ada",
  userId: 1,
  address: "",
  action: "",
  site: null,
  subject: "",
} as const;

test("an entry that is added while the log is checked is no problem", async () => {
  await fresh.store.audit.append(entry);
  using db = new Database(fresh.file);
  const prepare = db.prepare.bind(db);
  let added: Promise<void> | null = null;
  // The number of assigned ids is read after all entries were.
  const watched = Object.assign(db, {
    prepare(sql: string) {
      if (sql.includes('from "audit"')) added ??= fresh.store.audit.append(entry);
      return prepare(sql);
    },
  });
  expect(await integrityProblems(watched)).toEqual([]);
  await added;
  expect(await fresh.store.audit.list({}, { limit: 9, before: null })).toHaveLength(2);
  expect(await fresh.store.checkIntegrity()).toEqual([]);
});

describe("a log whose oldest entries were deleted", () => {
  let db: Database;
  beforeEach(async () => {
    for (const at of [1, 2, 3, 4]) await fresh.store.audit.append({ ...entry, at });
    await fresh.store.audit.deleteOldest(3, 100);
    db = new Database(fresh.file);
  });
  afterEach(() => db.close());

  test.each([
    ["DELETE FROM audit WHERE id = 3"],
    ["UPDATE audit SET user_id = 2 WHERE id = 3"],
    ["UPDATE audit_anchor SET last_id = 1"],
    ["UPDATE audit_anchor SET last_id = 4, hash = 'made up'"],
    ["DELETE FROM audit_anchor"],
  ])("refuses %s", (sql) => {
    expect(() => db.run(sql)).toThrow("the audit log is append-only");
  });

  test("is detected if its end is missing", async () => {
    db.run("DROP TRIGGER audit_is_not_removed; DELETE FROM audit WHERE id > 3");
    expect(await fresh.store.checkIntegrity()).toEqual([
      expect.stringMatching(/^the audit log lacks the entries after 3, /),
    ]);
  });

  test.each([
    ["lacks an entry", "DROP TRIGGER audit_is_not_removed; DELETE FROM audit WHERE id = 3", 4],
    ["has another user's id", "DROP TRIGGER audit_is_not_changed; UPDATE audit SET user_id = 2 WHERE id = 4", 4],
    [
      "is anchored to another hash",
      "DROP TRIGGER audit_anchor_is_an_entry; UPDATE audit_anchor SET hash = 'made up'",
      3,
    ],
  ])("is detected if it %s", async (_, sql, entry) => {
    db.run(sql);
    expect(await fresh.store.checkIntegrity()).toEqual([`the audit log was changed at entry ${entry}`]);
  });
});
