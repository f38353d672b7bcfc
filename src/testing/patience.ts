import { setDefaultTimeout } from "bun:test";
import { TIME_LIMIT_MS } from "./needs.ts";

// Loaded before the test files (bunfig.toml). If several files share their modules, Bun keeps this for the first one only.
setDefaultTimeout(TIME_LIMIT_MS);
