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
});
