import { setDefaultTimeout } from "bun:test";

// Loaded before every test file (bunfig.toml). The limit ends tests that hang. It does not measure speed, because other
// tests may slow the machine, and the first test may have to build the program.
setDefaultTimeout(300_000);
