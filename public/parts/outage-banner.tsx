import type { JSX } from "preact";
import { look, useOutage } from "../api/freshness.ts";
import { formatTime } from "../format.ts";
import { Icon } from "./icons.tsx";

/** The one message about a server that cannot be reached. It lies over the page's margin: nothing moves. */
export function OutageBanner(): JSX.Element {
  const outage = useOutage();
  return (
    <div role="status">
      {outage && (
        <div class="banner">
          <Icon name="warning" size={14} />
          <span>
            The server cannot be reached.
            <span class="wide-only">
              {outage.since !== null && ` This data is from ${formatTime(outage.since)}.`} Retrying …
            </span>
          </span>
          <button type="button" onClick={look}>
            Retry now
          </button>
        </div>
      )}
    </div>
  );
}
