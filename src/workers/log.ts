import type { Log } from "../domain/ports/system.ts";

type LogFormat = "text" | "json" | "off";
type LogLevel = "info" | "warn";

/** Returns a log that writes lines to stderr. */
export function stderrLog(format: LogFormat, level: LogLevel = "info"): Log {
  if (format === "off") return { info() {}, warn() {}, error() {} };
  const write = format === "json" ? writeJson : writeText;
  return {
    info: (event, fields = {}) => {
      if (level === "info") write("info", event, fields);
    },
    warn: (event, fields = {}) => write("warn", event, fields),
    error: (event, error) => write("error", event, { error: shown(error) }),
  };
}

type Write = (level: string, event: string, fields: Readonly<Record<string, unknown>>) => void;

const writeJson: Write = (level, event, fields) => {
  process.stderr.write(`${JSON.stringify({ time: new Date().toISOString(), level, event, ...fields })}\n`);
};

const writeText: Write = (level, event, fields) => {
  const details = Object.entries(fields).map(
    ([key, value]) => ` ${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  process.stderr.write(`${new Date().toISOString()} ${level.padEnd(5)} ${event}${details.join("")}\n`);
};

/** The whole error, without the surrounding lines of source: those of the executable are kilobytes of minified code. */
function shown(error: unknown): string {
  if (!(error instanceof Error)) return Bun.inspect(error, { colors: false });
  // Errors of the runtime itself, such as those of `fetch`, have no stack.
  const own = (error.stack ?? `${error.name}: ${error.message}`) + detailsOf(error);
  const causes = [error.cause, ...(error instanceof AggregateError ? error.errors : [])];
  return [own, ...causes.filter((cause) => cause !== undefined).map((cause) => `caused by ${shown(cause)}`)].join("\n");
}

/**
 * Details that the message lacks: SQLite's has no code, and that of `fetch` no address. Queries are removed, because
 * they may contain secrets.
 */
function detailsOf(error: Error): string {
  const details = Object.entries(error).filter(([name]) => ["code", "errno", "syscall", "path"].includes(name));
  return details.length > 0
    ? `\n    ${details.map(([name, value]) => `${name}=${`${value}`.replace(/\?.*/s, "")}`).join(" ")}`
    : "";
}
