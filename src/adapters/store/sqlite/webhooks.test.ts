import { describe } from "bun:test";
import { outboxContract } from "../contract/outbox.ts";
import { webhookContract } from "../contract/webhooks.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

describe("webhooks in SQLite", () =>
  webhookContract(
    () => fresh.store,
    () => fresh.other,
  ));
describe("the outbox in SQLite", () => outboxContract(() => fresh.store));
