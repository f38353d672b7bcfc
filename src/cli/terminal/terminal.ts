import { type Style, styleFor } from "./style.ts";

/** Where a command speaks: data to stdout, everything meant for people to stderr. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** stderr is a terminal that can redraw a line: spinners and bars make sense. */
  readonly lively: boolean;
  /** There is somebody to ask: stdin and stderr are terminals. */
  readonly canAsk: boolean;
  /** Paints messages (stderr). */
  readonly style: Style;
  /** Paints data (stdout). */
  readonly dataStyle: Style;
  readonly columns: number;
  /** How wide data may be (stdout); null where it goes to a file or a pipe. */
  readonly dataColumns: number | null;
  /** Writes a line of data to stdout. */
  data(text: string): void;
  /** Writes a value to stdout as the JSON that `--json` asks for. */
  json(value: unknown): void;
  /** Writes a line for people to stderr, clearing a status line first. */
  say(text: string): void;
  /** Says what was done. */
  done(text: string): void;
  /** Shows one line that the next one replaces; empty clears it. Does nothing where `lively` is false. */
  status(text: string): void;
  /** Writes to stderr without a line end, for questions. */
  ask(text: string): void;
}

/** What every terminal writes in the same form, by its own `data` and `say`. */
export const forms: Pick<Terminal, "json" | "done"> & ThisType<Terminal> = {
  json(value) {
    this.data(JSON.stringify(value, null, 2));
  },
  done(text) {
    this.say(`${this.style.green("✓")} ${text}`);
  },
};

const CLEAR_LINE = "\r\x1b[2K";

/** Returns the terminal of this process. */
export function processTerminal(): Terminal {
  const { env, stdin, stdout, stderr } = process;
  stdout.on("error", endWithOutput);
  stderr.on("error", goOnUnheard);
  const capable = env.TERM !== "dumb";
  const colours = capable && !env.NO_COLOR;
  const lively = stderr.isTTY === true && capable;
  let showsStatus = false;
  const toStderr = (text: string) => {
    stderr.write(showsStatus ? CLEAR_LINE + text : text);
    showsStatus = false;
  };
  return {
    ...forms,
    env,
    lively,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    style: styleFor(colours && stderr.isTTY === true),
    dataStyle: styleFor(colours && stdout.isTTY === true),
    get columns() {
      return stderr.columns || 80;
    },
    get dataColumns() {
      return stdout.isTTY === true ? stdout.columns || 80 : null;
    },
    data: (text) => {
      if (showsStatus) toStderr("");
      stdout.write(`${text}\n`);
    },
    say: (text) => toStderr(`${text}\n`),
    ask: toStderr,
    status: (text) => {
      if (!lively) return;
      toStderr(text);
      showsStatus = text !== "";
    },
  };
}

/** `vitrine sites list | head -1` closes the pipe early, and that is no failure; a full disk is one. */
function endWithOutput(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(`error: the output cannot be written (${error.code ?? error.message}).\n`);
  process.exit(1);
}

/** Nothing must end because whoever collected its messages did, or has no room for them. */
function goOnUnheard(): void {}
