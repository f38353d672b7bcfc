import { describe } from "bun:test";
import { objectContract, PART_BYTES } from "./contract.ts";
import { memoryObjects } from "./memory.ts";

describe("objects in memory", () => objectContract(async () => memoryObjects(new Map(), PART_BYTES)));
