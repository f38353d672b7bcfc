import { version } from "../../package.json";

/** Set by the build; a run from a checkout has neither. */
declare const VITRINE_COMMIT: string | undefined;
declare const VITRINE_PLATFORM: string | undefined;

export const VERSION = {
  version,
  commit: typeof VITRINE_COMMIT === "string" ? VITRINE_COMMIT : "development",
} as const;

/** What the executable runs on, such as `linux-x64-musl`; null for other forms of the program. */
export const PLATFORM = typeof VITRINE_PLATFORM === "string" ? VITRINE_PLATFORM : null;
