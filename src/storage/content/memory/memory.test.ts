import { describe } from "bun:test";
import { contentContract } from "../contract.ts";
import { type ContentMemory, openMemoryContent } from "./memory.ts";

describe("the content store in memory", () => {
  contentContract(() => {
    const memory: ContentMemory = new Map();
    return [openMemoryContent(memory), openMemoryContent(memory)];
  });
});
