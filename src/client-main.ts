import { HOME_SERVER } from "./cli/client/connect.ts";
import { main } from "./cli/program/main.ts";
import { NPM_CLIENT } from "./cli/program/npm-client.ts";
import { processTerminal } from "./cli/terminal/terminal.ts";

/** npx runs a package in a folder of this name, and its command is not available afterwards. */
const isRunByNpx = /[\\/]_npx[\\/]/.test(process.argv[1] ?? "");
const called = isRunByNpx ? `npx ${HOME_SERVER}/vitrine.tgz` : "vitrine";

process.exitCode = await main(process.argv.slice(2), NPM_CLIENT, processTerminal(called));
