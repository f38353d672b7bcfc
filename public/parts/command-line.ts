import { useResource } from "../api/resource.ts";
import type { VersionReport } from "../api/types.ts";

/** Where the command-line client comes from. */
export interface ClientSource {
  /** The server's base URL. */
  readonly server: string;
  /** True if the server offers its client. */
  readonly isOffered: boolean;
}

export function useClientSource(): ClientSource {
  const { data } = useResource<VersionReport>("/version", { fixed: true });
  return { server: location.origin, isOffered: data === undefined || data.client.npm !== null };
}

/** Returns the line that runs a command: through npx, or with the installed executable if the server offers no client. */
export function commandLine({ server, isOffered }: ClientSource, command: string): string {
  return isOffered ? `npx ${server}/vitrine.tgz ${command}` : `vitrine ${command} --server ${server}`;
}
