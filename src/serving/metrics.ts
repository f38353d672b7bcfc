import { LATENCY_BUCKETS, latencyBucket } from "../domain/maintenance/latency.ts";

/** The part that responds: the API with the dashboard, or a site. */
type Part = "api" | "site";

const PARTS: readonly Part[] = ["api", "site"];

const STATUS_CLASSES = 5;
/** For each part: responses by status class, by bucket and above all buckets, and the total of their seconds. */
const PART_SLOTS = STATUS_CLASSES + LATENCY_BUCKETS.length + 2;
const BYTES = PARTS.length * PART_SLOTS;
const DELAY = BYTES + 1;
const MISSES = DELAY + 1;
const HITS = MISSES + 1;
const SLOTS = HITS + 1;

/** The counters of one thread, in memory that the main thread reads. Only one thread writes, so no lock is needed. */
export type MeterSlots = Float64Array<SharedArrayBuffer>;

export function newMeterSlots(): MeterSlots {
  return new Float64Array(new SharedArrayBuffer(SLOTS * Float64Array.BYTES_PER_ELEMENT));
}

/** Counts in a serving thread, which takes a few nanoseconds per request. */
export class RequestMeters {
  constructor(private readonly slots: MeterSlots) {}

  /** Counts a response that was ready after `seconds`. */
  responded(part: Part, status: number, seconds: number): void {
    const start = part === "api" ? 0 : PART_SLOTS;
    this.add(start + Math.min(Math.floor(status / 100), STATUS_CLASSES) - 1, 1);
    this.add(start + STATUS_CLASSES + latencyBucket(seconds), 1);
    this.add(start + PART_SLOTS - 1, seconds);
  }

  /** Counts the length of a body that is sent to a site's visitor. */
  sent(bytes: number): void {
    this.add(BYTES, bytes);
  }

  /** Counts content that was not cached and was read from disk. */
  missed(): void {
    this.add(MISSES, 1);
  }

  /** Counts content that was sent from memory. */
  hit(): void {
    this.add(HITS, 1);
  }

  /** Records by how many seconds the thread's latest timer was late. */
  late(seconds: number): void {
    this.slots[DELAY] = seconds;
  }

  private add(slot: number, amount: number): void {
    this.slots[slot] = (this.slots[slot] ?? 0) + amount;
  }
}

/** The sums of the counters of all threads. */
interface RequestFigures {
  readonly parts: readonly {
    readonly part: Part;
    /** Responses by status class, 1xx first. */
    readonly statuses: readonly number[];
    /** Responses by bucket, not cumulative; the last one is for those above all bounds. */
    readonly buckets: readonly number[];
    readonly seconds: number;
  }[];
  readonly bytes: number;
  /** Contents that were not cached and were read from disk. */
  readonly misses: number;
  /** Contents that were sent from memory. */
  readonly hits: number;
  /** The latest delay of the slowest thread, in seconds. */
  readonly delay: number;
}

export function readMeters(threads: readonly MeterSlots[]): RequestFigures {
  const sum = (slot: number) => threads.reduce((total, slots) => total + (slots[slot] ?? 0), 0);
  const sums = (start: number, length: number) => Array.from({ length }, (_, index) => sum(start + index));
  return {
    parts: PARTS.map((part, index) => {
      const start = index * PART_SLOTS;
      return {
        part,
        statuses: sums(start, STATUS_CLASSES),
        buckets: sums(start + STATUS_CLASSES, LATENCY_BUCKETS.length + 1),
        seconds: sum(start + PART_SLOTS - 1),
      };
    }),
    bytes: sum(BYTES),
    misses: sum(MISSES),
    hits: sum(HITS),
    delay: Math.max(0, ...threads.map((slots) => slots[DELAY] ?? 0)),
  };
}

/** One measured number with its labels. */
export interface Sample {
  /** After the name, in a histogram. */
  readonly suffix?: "_bucket" | "_sum" | "_count";
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Values of one kind. Labels are limited: hosts, paths and addresses are never labels. */
export interface Metric {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** Returns metrics in Prometheus' text format 0.0.4. */
export function exposition(requests: RequestFigures, metrics: readonly Metric[]): string {
  return [...requestMetrics(requests), ...metrics].map(family).join("");
}

/** Returns a metric of this server with the given name, without the common prefix. */
export function gauge(name: string, help: string, ...samples: Sample[]): Metric {
  return { name: `vitrine_${name}`, type: "gauge", help, samples };
}

export function counter(name: string, help: string, ...samples: Sample[]): Metric {
  return { name: `vitrine_${name}`, type: "counter", help, samples };
}

export function histogram(name: string, help: string, ...durations: Durations[]): Metric {
  return { name: `vitrine_${name}`, type: "histogram", help, samples: durations.flatMap(histogramSamples) };
}

/** Durations by bucket, not cumulative; the last bucket is for those above all bounds. */
export interface Durations {
  readonly labels?: Readonly<Record<string, string>>;
  readonly buckets: readonly number[];
  /** The sum of all. */
  readonly seconds: number;
}

// --- internal ---

function family({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ suffix = "", labels = {}, value }) => line(name + suffix, labels, value));
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

/** Returns a histogram's samples, cumulative as Prometheus has them. */
function histogramSamples({ labels = {}, buckets, seconds }: Durations): Sample[] {
  let total = 0;
  const cumulative = buckets.map((count, index): Sample => {
    total += count;
    const bound = LATENCY_BUCKETS[index];
    return { suffix: "_bucket", labels: { ...labels, le: bound === undefined ? "+Inf" : String(bound) }, value: total };
  });
  return [...cumulative, { suffix: "_sum", labels, value: seconds }, { suffix: "_count", labels, value: total }];
}

function requestMetrics({ parts, bytes, misses, hits, delay }: RequestFigures): Metric[] {
  return [
    counter(
      "requests_total",
      "Requests answered, by the part that answered and class of status.",
      ...parts.flatMap(({ part, statuses }) =>
        statuses.map((value, index) => ({ labels: { part, status: `${index + 1}xx` }, value })),
      ),
    ),
    histogram(
      "request_duration_seconds",
      "Time until a response was ready to be sent.",
      ...parts.map(({ part, buckets, seconds }) => ({ labels: { part }, buckets, seconds })),
    ),
    counter("site_bytes_total", "Length of the bodies sent to sites' visitors.", { value: bytes }),
    counter("cache_misses_total", "Contents read from disk because the memory for hot content did not have them.", {
      value: misses,
    }),
    counter("cache_hits_total", "Contents sent from the memory for hot content.", { value: hits }),
    gauge(
      "event_loop_delay_seconds",
      "Delay of the event loop of the serving thread where it is longest, measured every second.",
      { value: delay },
    ),
  ];
}

function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}\n`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
