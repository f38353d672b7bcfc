import { LATENCY_BUCKETS, type RequestFigures } from "./request-meters.ts";

/** One measured number with its labels. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Numbers of one kind. Labels are bounded: no host, path or address ever is one. */
export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Returns metrics in Prometheus' text format 0.0.4. */
export function exposition(requests: RequestFigures, metrics: readonly Metric[]): string {
  return [
    requestCounts(requests),
    latencyHistogram(requests),
    ...[...requestMetrics(requests), ...metrics].map(family),
  ].join("");
}

// --- internal ---

function family({ name, type, help, samples }: Metric): string {
  return heading(name, type, help) + samples.map(({ labels, value }) => line(name, labels ?? {}, value)).join("");
}

function requestCounts({ parts }: RequestFigures): string {
  const name = "vitrine_requests_total";
  const lines = parts.flatMap(({ part, statuses }) =>
    statuses.map((count, index) => line(name, { part, status: `${index + 1}xx` }, count)),
  );
  return heading(name, "counter", "Requests answered, by the part that answered and class of status.") + lines.join("");
}

function latencyHistogram({ parts }: RequestFigures): string {
  const name = "vitrine_request_duration_seconds";
  const lines = parts.flatMap(({ part, buckets, seconds }) => {
    let total = 0;
    const cumulative = buckets.map((count, index) => {
      total += count;
      const bound = LATENCY_BUCKETS[index];
      return line(`${name}_bucket`, { part, le: bound === undefined ? "+Inf" : String(bound) }, total);
    });
    return [...cumulative, line(`${name}_sum`, { part }, seconds), line(`${name}_count`, { part }, total)];
  });
  return heading(name, "histogram", "Time until an answer was ready to be sent.") + lines.join("");
}

function requestMetrics({ bytes, misses, delay }: RequestFigures): Metric[] {
  return [
    {
      name: "vitrine_site_bytes_total",
      type: "counter",
      help: "Length of the bodies sent to sites' visitors.",
      samples: [{ value: bytes }],
    },
    {
      name: "vitrine_cache_misses_total",
      type: "counter",
      help: "Contents read from disk because the memory for hot content did not have them.",
      samples: [{ value: misses }],
    },
    {
      name: "vitrine_event_loop_delay_seconds",
      type: "gauge",
      help: "How late the busiest serving thread was for its latest appointment.",
      samples: [{ value: delay }],
    },
  ];
}

function heading(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
}

function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
