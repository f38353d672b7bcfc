import type { AcmeSettings } from "./authority.ts";
import { readTrustRoot } from "./transport.ts";

/** The operator's settings. */
interface Wanted {
  readonly acmeDirectory: string;
  readonly acmeEmail: string | null;
  readonly acmeCaFile: string | null;
  readonly acmeEabKid: string | null;
  readonly acmeEabHmac: string | null;
  readonly acmeFallbackDirectory: string | null;
  readonly acmeFallbackEabKid: string | null;
  readonly acmeFallbackEabHmac: string | null;
}

/** Returns the CAs in order of preference. Throws if the trust root is unusable. */
export function acmeSettings(config: Wanted): AcmeSettings[] {
  const { acmeDirectory, acmeEmail: email, acmeFallbackDirectory } = config;
  const trustRoot = config.acmeCaFile === null ? null : readTrustRoot(config.acmeCaFile);
  const first = { directory: acmeDirectory, email, eab: binding(config.acmeEabKid, config.acmeEabHmac), trustRoot };
  if (acmeFallbackDirectory === null) return [first];
  const eab = binding(config.acmeFallbackEabKid, config.acmeFallbackEabHmac);
  return [first, { directory: acmeFallbackDirectory, email, eab, trustRoot }];
}

function binding(kid: string | null, hmacKey: string | null): AcmeSettings["eab"] {
  return kid === null || hmacKey === null ? null : { kid, hmacKey };
}
