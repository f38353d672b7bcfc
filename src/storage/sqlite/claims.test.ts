import { describe } from "bun:test";
import { claimContract } from "../contract/claims.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

describe("claims in SQLite", () =>
  claimContract(
    () => fresh.store,
    () => fresh.other,
  ));
