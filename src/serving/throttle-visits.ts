import type { Throttle } from "../domain/ports/throttle.ts";
import { addressSubject } from "../domain/rate-limit.ts";
import { ownAddress } from "../domain/request-target.ts";
import { tooManyVisits } from "./pages/error-page.ts";
import type { Serve } from "./serve.ts";

/**
 * Returns hosting that answers 429 to an address that asks too often. A CA and our own probes are always answered: what
 * they look for lies at addresses of the server's own.
 */
export function throttleVisits(serve: Serve, throttle: Throttle): Serve {
  return (request, host, visitor) => {
    const wait = throttle.take(addressSubject(visitor.address));
    if (wait === 0 || ownAddress(request.url) !== null) return serve(request, host, visitor);
    return tooManyVisits(request, wait);
  };
}
