import { needing } from "../../testing/needing.ts";
import { OTHER_CONTRACTS } from "../contract/contracts.ts";
import { freshStore } from "./testing/fresh-store.ts";

const { describe } = needing("postgres");

// What visits ask for is in replica/contract.test.ts.
describe("a store in PostgreSQL", () => {
  const fresh = freshStore();
  const current = () => fresh.store;
  const other = () => fresh.other;
  for (const [does, contract] of Object.entries(OTHER_CONTRACTS)) describe(does, () => contract(current, other));
});
