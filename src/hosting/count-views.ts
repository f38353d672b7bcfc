import type { ViewRecorder } from "../domain/views/record-views.ts";
import type { ViewCounter } from "./ports.ts";

/** Returns the counter that takes from a visit what the statistics need, and no more. */
export function countViews(recorder: ViewRecorder): ViewCounter {
  return {
    count({ request, visitor, route, path }, seen, bytes) {
      if (bytes > 0) recorder.traffic(route.siteId, bytes);
      if (seen === "asset") return;
      const userAgent = request.headers.get("user-agent");
      if (seen === "missing") {
        recorder.missing(route.siteId, path, userAgent);
        return;
      }
      recorder.view(route.siteId, {
        path,
        userAgent,
        address: () => visitor.address,
        referrer: request.headers.get("referer"),
        host: route.host,
      });
    },
  };
}
