import { text as readAll } from "node:stream/consumers";
import { harmless, type Style, styleFor } from "./style.ts";

/** The environment variables of a command. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The input and the output of a command: data to stdout, messages to stderr. */
export interface Terminal {
  readonly env: Environment;
  /** True if stderr is a terminal that can redraw a line. */
  readonly canRedraw: boolean;
  /** True if stdin and stderr are terminals, so that questions are possible. */
  readonly canAsk: boolean;
  /** Style of messages (stderr). */
  readonly style: Style;
  /** Style of data (stdout). */
  readonly dataStyle: Style;
  readonly columns: number;
  /** Width of stdout; null for a file or a pipe. */
  readonly dataColumns: number | null;
  /** Reads stdin to its end. */
  readInput(): Promise<string>;
  /** Writes a line of data to stdout. */
  data(text: string): void;
  /** Writes a value to stdout as JSON. */
  json(value: unknown): void;
  /** Writes a message to stderr, clearing a status line first. */
  say(text: string): void;
  /** Writes a message of success to stderr. */
  done(text: string): void;
  /** Shows a status line that the next one replaces; empty clears it. Does nothing unless `canRedraw`. */
  status(text: string): void;
  /** Writes to stderr without a line end, for questions. */
  ask(text: string): void;
}

/** The methods that are the same for every terminal. */
export const forms: Pick<Terminal, "json" | "done"> & ThisType<Terminal> = {
  json(value) {
    this.data(JSON.stringify(value, null, 2));
  },
  done(text) {
    this.say(`${this.style.green("✓")} ${text}`);
  },
};

const CLEAR_LINE = "\r\x1b[2K";

/** Returns the terminal of this process. `called` is what the reader types to run this program. */
export function processTerminal(called = "vitrine"): Terminal {
  const { env, stdin, stdout, stderr } = process;
  stdout.on("error", endWithOutput);
  stderr.on("error", ignoreError);
  const capable = env.TERM !== "dumb";
  const colours = capable && !env.NO_COLOR;
  const canRedraw = stderr.isTTY === true && capable;
  let showsStatus = false;
  // Messages and, at a terminal, data may contain text of a server. A pipe gets the data unchanged.
  const toStderr = (text: string) => {
    stderr.write((showsStatus ? CLEAR_LINE : "") + harmless(withCommandsOf(called, text)));
    showsStatus = false;
  };
  return {
    ...forms,
    env,
    canRedraw,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    style: styleFor(colours && stderr.isTTY === true),
    dataStyle: styleFor(colours && stdout.isTTY === true),
    get columns() {
      return stderr.columns || 80;
    },
    get dataColumns() {
      return stdout.isTTY === true ? stdout.columns || 80 : null;
    },
    readInput: () => readAll(stdin),
    data: (text) => {
      if (showsStatus) toStderr("");
      stdout.write(`${stdout.isTTY === true ? harmless(text) : text}\n`);
    },
    say: (text) => toStderr(`${text}\n`),
    ask: toStderr,
    status: (text) => {
      if (!canRedraw) return;
      toStderr(text);
      showsStatus = text !== "";
    },
  };
}

/** Advice names a command after a colon, as in "Sign in: vitrine login". */
function withCommandsOf(called: string, text: string): string {
  return text.replace(/(?<=: )vitrine(?= [a-z])/g, () => called);
}

/** A pipe closed early, as by `vitrine sites list | head -1`, is no failure; a full disk is one. */
function endWithOutput(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`error: the output cannot be written (${error.code ?? error.message}).\n`);
  process.exit(1);
}

/** A closed or full stderr must not end the process. */
function ignoreError(): void {}
