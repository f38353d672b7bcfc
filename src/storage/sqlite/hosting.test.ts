import { describe } from "bun:test";
import { hostingContract } from "../contract/hosting.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

describe("hosting in SQLite", () => hostingContract(() => fresh.store));
