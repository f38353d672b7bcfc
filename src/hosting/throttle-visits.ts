import { isOwnAddress } from "../domain/deployments/clean-urls.ts";
import type { Throttle } from "../domain/ports/throttle.ts";
import { addressSubject } from "../domain/rate-limit.ts";
import { tooManyVisits } from "./pages/error-page.ts";
import { decodePath, splitTarget } from "./request-path.ts";
import type { Serve } from "./serve.ts";

/**
 * Returns hosting that answers 429 to an address that asks too often. A CA and our own probes are always answered: what
 * they look for lies at addresses of the appliance's own.
 */
export function throttleVisits(serve: Serve, throttle: Throttle): Serve {
  return (request, host, visitor) => {
    const wait = throttle.take(addressSubject(visitor.address));
    if (wait === 0 || isOwnAddress(decodePath(splitTarget(request.url).path) ?? ""))
      return serve(request, host, visitor);
    return tooManyVisits(request, wait);
  };
}
