import { expect } from "bun:test";
import { needing } from "../../testing/needing.ts";
import { freshStore } from "./testing/fresh-store.ts";

needing("postgres").describe("a name with a NUL character, which PostgreSQL refuses,", () => {
  const fresh = freshStore();
  const { test } = needing("postgres");

  test("is not found", async () => {
    const { sites, users } = fresh.store;
    await expect(sites.find("a\0")).rejects.toMatchObject({ kind: "not_found" });
    await expect(users.findByLogin("local", "a\0")).rejects.toMatchObject({ kind: "not_found" });
  });

  test("is found by no filter of an operator", async () => {
    const { audit, sites, users } = fresh.store;
    const page = { limit: 1, before: null };
    const lists = [
      ...["actor", "site", "action"].map((field) => () => audit.list({ [field]: "a\0" }, page)),
      () => users.page({ text: "a\0", after: null, limit: 1 }),
      () => sites.page({ text: "a\0", after: null, limit: 1 }, 0),
    ];
    for (const list of lists) await expect(list()).rejects.toMatchObject({ kind: "not_found" });
  });
});
