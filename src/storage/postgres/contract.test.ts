import { needing } from "../../testing/needing.ts";
import { contentContract } from "../contract/contents.ts";
import { retentionContract } from "../contract/retention.ts";
import { tokenContract } from "../contract/tokens.ts";
import { freshStore } from "./testing/fresh-store.ts";

// The suites whose stores are there by now. Those that ask for what visits need are in replica/contract.test.ts.
needing("postgres").describe("a store in PostgreSQL", () => {
  const fresh = freshStore();
  const { describe } = needing("postgres");
  const current = () => fresh.store;

  describe("knows contents that", () => contentContract(current));
  describe("retains deployments", () => retentionContract(current));
  describe("keeps deployment tokens", () => tokenContract(current));
});
