import { operatorCommands } from "../commands/for-operators.ts";
import { peopleCommands } from "../commands/for-people.ts";
import type { ProgramParts } from "./program.ts";

/** The executable, which is the server and its client. */
export const EXECUTABLE: ProgramParts = {
  description: "hosts static websites: one executable, one port, one data folder",
  examples: ["vitrine serve", "vitrine login --server https://pages.example.org", "vitrine deploy dist --site hello"],
  groups: () => [
    ["For the operator, on the server's data folder:", operatorCommands()],
    ["For everyone, over the API:", peopleCommands()],
  ],
};
