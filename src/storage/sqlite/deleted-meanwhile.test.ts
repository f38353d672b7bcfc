import { describe } from "bun:test";
import { deletedMeanwhileContract } from "../contract/deleted-meanwhile.ts";
import { freshStore } from "./testing/fresh-store.ts";

const fresh = freshStore();

describe("what was deleted meanwhile, in SQLite", () => deletedMeanwhileContract(() => fresh.store));
