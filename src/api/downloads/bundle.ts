import { keptBundle } from "../kept-bundle/kept-bundle.ts";

/** The command-line client for Node.js, without what differs from server to server. */
export interface ClientBundle {
  /** One ES module with everything in it. */
  readonly program: string;
  /** The project's license and those of the packages in the program. */
  readonly licenses: string;
}

/** Returns the client, bundled from src/client-main.ts. Runs as a macro. */
export function bundleClient(): ClientBundle {
  return keptBundle<ClientBundle>("client");
}
