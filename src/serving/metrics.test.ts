import { expect, test } from "bun:test";
import { exposition, newMeterSlots, RequestMeters, readMeters } from "./metrics.ts";

test("the counts of several threads are added", () => {
  const threads = [newMeterSlots(), newMeterSlots()];
  const [one, other] = threads.map((slots) => new RequestMeters(slots)) as [RequestMeters, RequestMeters];
  one.responded("site", 200, 0.0001);
  one.responded("site", 304, 0.002);
  other.responded("site", 404, 100);
  other.responded("api", 201, 0.3);
  one.sent(1000);
  other.sent(24);
  one.late(0.01);
  other.late(0.5);
  const text = exposition(readMeters(threads), []);
  for (const line of [
    'vitrine_requests_total{part="site",status="2xx"} 1',
    'vitrine_requests_total{part="site",status="3xx"} 1',
    'vitrine_requests_total{part="site",status="4xx"} 1',
    'vitrine_requests_total{part="api",status="2xx"} 1',
    'vitrine_request_duration_seconds_bucket{part="site",le="0.0005"} 1',
    'vitrine_request_duration_seconds_bucket{part="site",le="0.0025"} 2',
    'vitrine_request_duration_seconds_bucket{part="site",le="60"} 2',
    'vitrine_request_duration_seconds_bucket{part="site",le="+Inf"} 3',
    'vitrine_request_duration_seconds_count{part="site"} 3',
    'vitrine_request_duration_seconds_sum{part="api"} 0.3',
    "vitrine_site_bytes_total 1024",
    "vitrine_event_loop_delay_seconds 0.5",
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test("labels are quoted according to the format", () => {
  const metric = {
    name: "x",
    type: "gauge",
    help: "An x.",
    samples: [{ labels: { y: 'a"b\\c\nd' }, value: 1 }],
  } as const;
  expect(exposition(readMeters([]), [metric])).toContain('# HELP x An x.\n# TYPE x gauge\nx{y="a\\"b\\\\c\\nd"} 1\n');
});
