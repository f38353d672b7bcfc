// Writes docs/reference.md from the code: every command's help and the table of settings. `npm run reference`
import { referencePage } from "../src/cli/program/reference.ts";
import { capturedTerminal } from "../src/cli/testing/run-cli.ts";

await Bun.write(`${import.meta.dir}/../docs/reference.md`, referencePage(capturedTerminal()));
