import * as parse from "./parsers.ts";
import { setting } from "./setting.ts";

/** The settings of the access log and the metrics. */
export const LOGGING_SETTINGS = {
  log: setting({
    flag: "log",
    value: "FORMAT",
    parse: parse.oneOf("text", "json", "off"),
    default: "text",
    defaultText: "`text`",
    help: "access and event log on stderr: text, json or off",
  }),
  logLevel: setting({
    flag: "log-level",
    value: "LEVEL",
    parse: parse.oneOf("info", "warn"),
    default: "info",
    defaultText: "`info`",
    help: "what is logged: info for everything with each request, or warn for warnings and errors",
  }),
  logAddresses: setting({
    flag: "log-addresses",
    value: "HOW",
    parse: parse.oneOf("full", "truncated", "off"),
    default: "full",
    defaultText: "`full`",
    help: "visitor addresses in the access log: full, truncated to their network, or off",
  }),
  metricsListen: setting({
    flag: "metrics-listen",
    value: "ADDRESS",
    parse: parse.orOff(parse.listenAddress),
    default: null,
    defaultText: "`off`",
    help: "address of a separate listener for /metrics in Prometheus format, such as 127.0.0.1:9464",
  }),
} as const;
