import { describe } from "bun:test";
import { limitsContract } from "../contract/limits.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

describe("limits in SQLite", () => limitsContract(() => fresh.store));
