import type { ProgramParts } from "./program.ts";

/** The client in the npm package that a server offers. It runs on Node.js. */
export const NPM_CLIENT: ProgramParts = {
  description: "publishes static websites on a Vitrine server",
  examples: ["vitrine login", "vitrine deploy dist --site hello", "vitrine sites list"],
  operatorCommands: () => [],
};
