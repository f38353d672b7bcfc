import { EXECUTABLE } from "./cli/program/executable.ts";
import { main } from "./cli/program/main.ts";

process.exitCode = await main(process.argv.slice(2), EXECUTABLE);
