import type { Page } from "playwright-core";
import type { Demo } from "./demo.ts";

/** One picture: where it is taken, and what is done before. */
export interface Scene {
  readonly name: string;
  readonly signedOut?: boolean;
  path(demo: Demo): string | Promise<string>;
  prepare?(page: Page): Promise<void>;
}

const at = (name: string, path: string, prepare?: Scene["prepare"]): Scene => ({
  name,
  path: () => path,
  ...(prepare ? { prepare } : {}),
});

export const SCENES: readonly Scene[] = [
  at("sites", "/"),
  at("deployments", "/dashboard/sites/atlas-docs"),
  at("analytics", "/dashboard/sites/atlas-docs/analytics"),
  at("access", "/dashboard/sites/handbook/access"),
  at("domains", "/dashboard/sites/atlas-docs/domains"),
  at("tokens", "/dashboard/sites/atlas-docs/tokens"),
  at("settings", "/dashboard/sites/portfolio/settings"),
  at("account", "/dashboard/account"),
  { name: "sign-in", signedOut: true, path: () => "/sign-in" },
];
