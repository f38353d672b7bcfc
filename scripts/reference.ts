// Writes from the code: docs/reference.md with all settings, commands and routes, and the table of permissions in
// docs/members.md. `npm run reference`
import { withPermissionsTable } from "../src/cli/program/permissions-table.ts";
import { referencePage } from "../src/cli/program/reference.ts";
import { capturedTerminal } from "../src/cli/testing/run-cli.ts";
import { routesTable } from "./routes-table.ts";

const docs = `${import.meta.dir}/../docs`;
await Bun.write(`${docs}/reference.md`, referencePage(capturedTerminal(), await routesTable()));
const members = Bun.file(`${docs}/members.md`);
await members.write(withPermissionsTable(await members.text()));
