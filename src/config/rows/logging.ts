import * as parse from "./parsers.ts";
import { setting, settings } from "./setting.ts";

/** The settings of the access log and the metrics. */
export const LOGGING_SETTINGS = settings({
  log: setting(
    parse.oneOf("FORMAT", ["text", "json", "off"]),
    "text",
    "access and event log on stderr: text, json or off",
  ),
  logLevel: setting(
    parse.oneOf("LEVEL", ["info", "warn"]),
    "info",
    "what is logged: info for everything with each request, or warn for warnings and errors",
  ),
  logAddresses: setting(
    parse.oneOf("HOW", ["full", "truncated", "off"]),
    "full",
    "visitor addresses in the access log: full, truncated to their network, or off",
  ),
  metricsListen: setting(
    parse.orOff(parse.listenAddress),
    null,
    "address of a separate listener for /metrics in Prometheus format, such as 127.0.0.1:9464",
  ),
});
