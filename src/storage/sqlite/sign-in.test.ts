import { describe } from "bun:test";
import { accessContract } from "../contract/access.ts";
import { operatorContract } from "../contract/operators.ts";
import { signInContract } from "../contract/sign-in.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

describe("sign-in in SQLite", () => signInContract(() => fresh.store));
describe("access in SQLite", () => accessContract(() => fresh.store));
describe("operators in SQLite", () => operatorContract(() => fresh.store));
