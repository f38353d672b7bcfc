import type { JSX } from "preact";
import type { Site } from "../../api/types.ts";

export function AnalyticsTab({ site }: { site: Site }): JSX.Element {
  return <p>{site.name}</p>;
}
