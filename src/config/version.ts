import { version } from "../../package.json";

/** Set by the build; a run from a checkout has none. */
declare const VITRINE_COMMIT: string | undefined;

export const VERSION = {
  version,
  commit: typeof VITRINE_COMMIT === "string" ? VITRINE_COMMIT : "development",
} as const;
