import type { ViewRecorder } from "../domain/analytics/record-views.ts";
import type { ViewCounter } from "./ports.ts";

/** Returns the counter that takes from a visit what the statistics need, and no more. */
export function countViews(recorder: ViewRecorder): ViewCounter {
  return {
    count(visit, seen, bytes) {
      const { request, visitor, route } = visit;
      if (seen === "asset") {
        recorder.traffic(route.siteId, bytes);
        return;
      }
      const userAgent = request.headers.get("user-agent");
      if (seen === "missing") {
        recorder.traffic(route.siteId, bytes);
        recorder.missing(route.siteId, visit.path, userAgent);
        return;
      }
      recorder.view(route.siteId, {
        page: seen,
        userAgent,
        address: () => visitor.address,
        referrer: request.headers.get("referer"),
        host: route.host,
        bytes,
      });
    },
  };
}
