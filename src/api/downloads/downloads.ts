import { loadOnce } from "../../domain/load-once.ts";
import { type Executable, readOwnExecutable } from "./executable.ts";
import type { NpmPackage, ServerFacts } from "./npm-package.ts";

/** The clients that the server offers. They are made and read at the first request, once in each thread. */
export interface Downloads {
  npmPackage(): Promise<NpmPackage>;
  /** Null if there is none to offer. */
  executable(): Promise<Executable | null>;
}

export function makeDownloads(server: ServerFacts & { readonly platform: string | null }): Downloads {
  return {
    // Loaded late, because it contains the whole client.
    npmPackage: loadOnce(async () => (await import("./npm-package.ts")).makeNpmPackage(server)),
    executable: loadOnce(() => readOwnExecutable(server.platform)),
  };
}
