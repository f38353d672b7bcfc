import { operatorCommands } from "../commands/for-operators.ts";
import type { ProgramParts } from "./program.ts";

/** The executable, which is the server and its client. */
export const EXECUTABLE: ProgramParts = {
  description: "hosts static websites: one executable, one port, one data folder",
  examples: ["vitrine login --server https://pages.example.org", "vitrine deploy dist --site hello", "vitrine serve"],
  operatorCommands,
};
