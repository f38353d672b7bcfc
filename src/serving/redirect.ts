import type { HeaderRule } from "../domain/deployments/headers-file.ts";
import { type AnsweredRoute, redirectFields } from "./answer-headers.ts";

/** A redirect as it is resolved, and the rules of `_headers` that the address meets. */
interface Redirect {
  readonly location: string;
  readonly status: number;
  readonly headerRules: readonly HeaderRule[];
}

/** Returns the answer that leads a visitor elsewhere. */
export function redirect(route: AnsweredRoute, { location, status, headerRules }: Redirect): Response {
  return new Response(null, { status, headers: [...redirectFields(route, headerRules, location)] });
}
