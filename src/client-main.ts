import { main } from "./cli/program/main.ts";
import { NPM_CLIENT } from "./cli/program/npm-client.ts";

process.exitCode = await main(process.argv.slice(2), NPM_CLIENT);
