import { describe } from "bun:test";
import { freshStore } from "../sqlite/testing/fresh-store.ts";
import { OTHER_CONTRACTS, VISIT_CONTRACTS } from "./contracts.ts";

describe("a store in SQLite", () => {
  const fresh = freshStore();
  const current = () => fresh.store;
  const other = () => fresh.other;
  const all = { ...VISIT_CONTRACTS, ...OTHER_CONTRACTS };
  for (const [does, contract] of Object.entries(all)) describe(does, () => contract(current, other));
});
