export type * from "../../src/api/schemas/types.ts";
