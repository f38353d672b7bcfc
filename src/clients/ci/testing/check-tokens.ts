// Checks ID tokens on stdin, one per line, as a server with this environment does: check-tokens.ts ISSUER
import { DomainError } from "../../../domain/errors.ts";
import { MINUTE } from "../../../domain/timestamp.ts";
import { ciIdTokens } from "../id-tokens.ts";

let time = 0;
const tokens = ciIdTokens([process.argv[2] ?? ""], { now: () => time, timeout: 60_000 });
for await (const token of console) {
  // Keys that are unknown may be fetched for each token.
  time += MINUTE;
  const response = await tokens.check(token).catch((error: unknown) => {
    if (error instanceof DomainError) return { kind: error.kind, why: error.detail };
    throw error;
  });
  console.log(JSON.stringify("why" in response ? [response.kind, response.why] : [response.kind]));
}
