import { MAX_JSON_BYTES } from "../../api/body.ts";
import { MAX_PATH_BYTES, MAX_SEGMENT_BYTES } from "../../archive/zip/name.ts";
import { MAX_DIRECTORY_BYTES } from "../../archive/zip/validate.ts";
import { type Config, LIMIT_SETTINGS, RATE_SETTINGS } from "../../config/settings.ts";
import type { Limit, LimitsInForce, LimitUnit } from "../../domain/limits/limits-in-force.ts";
import { MAX_HEAD_BYTES } from "../../serving/tls/listen.ts";

/** Returns every limit and rate in the settings, and those that are fixed. */
export function limitsInForce(config: Config): LimitsInForce {
  const limits = entriesOf(LIMIT_SETTINGS).map(([name, { flag, help, value: placeholder }]): Limit => {
    const unit = UNITS[placeholder as keyof typeof UNITS] ?? "count";
    const value = config[name];
    const shown = value !== null && unit === "seconds" ? value / 1000 : value;
    return { name: named(flag), setting: flag, unit, value: shown, meaning: help };
  });
  const rates = entriesOf(RATE_SETTINGS).map(([name, { flag, help }]) => ({
    name: named(flag),
    setting: flag,
    rate: config[name],
    meaning: help,
  }));
  return { limits: [...limits, ...FIXED], rates };
}

// --- internal ---

/** The unit of a setting, derived from the placeholder in its help. */
const UNITS = { SIZE: "bytes", TIME: "seconds" } as const satisfies Record<string, LimitUnit>;

/** The listener's own limit, which no option of Bun changes. */
const HEAD_TIMEOUT_SECONDS = 12;

const FIXED: readonly Limit[] = [
  fixed(
    "max_header_bytes",
    MAX_HEAD_BYTES,
    "maximum size of a request's head, with URL and headers; larger ones get 431",
  ),
  {
    ...fixed("head_timeout", HEAD_TIMEOUT_SECONDS, "time in which the head of a request has to arrive"),
    unit: "seconds",
  },
  fixed("max_json_bytes", MAX_JSON_BYTES, "maximum size of a JSON body"),
  fixed("max_directory_bytes", MAX_DIRECTORY_BYTES, "maximum size of an archive's list of entries"),
  fixed("max_path_bytes", MAX_PATH_BYTES, "maximum length of a file's path"),
  fixed("max_segment_bytes", MAX_SEGMENT_BYTES, "maximum length of a file's or folder's name"),
];

function fixed(name: string, value: number, meaning: string): Limit {
  return { name, setting: null, unit: "bytes", value, meaning };
}

function named(flag: string): string {
  return flag.replaceAll("-", "_");
}

function entriesOf<Table extends object>(table: Table): [keyof Table, Table[keyof Table]][] {
  return Object.entries(table) as [keyof Table, Table[keyof Table]][];
}
