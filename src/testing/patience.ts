import { setDefaultTimeout } from "bun:test";

// Before every file of tests (bunfig.toml). A time limit ends what hangs; it is no measure of speed: the machine may be
// busy with other tests, and whoever asks for the program first may have to build it.
setDefaultTimeout(300_000);
