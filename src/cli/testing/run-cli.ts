import { EXECUTABLE } from "../program/executable.ts";
import { main } from "../program/main.ts";
import type { ExitStatus } from "../terminal/errors.ts";
import { styleFor } from "../terminal/style.ts";
import { forms, type Terminal } from "../terminal/terminal.ts";

export interface CliResult {
  readonly status: ExitStatus;
  readonly stdout: string;
  readonly stderr: string;
}

/** A terminal that captures its output, without colours or questions, like a pipe. `input` is on its stdin. */
export function capturedTerminal(
  env: Record<string, string> = {},
  input = "",
): Terminal & { readonly out: string[]; err: string[] } {
  const out: string[] = [];
  const err: string[] = [];
  return {
    ...forms,
    out,
    err,
    env,
    canRedraw: false,
    canAsk: false,
    style: styleFor(false),
    dataStyle: styleFor(false),
    columns: 80,
    dataColumns: null,
    readInput: async () => input,
    data: (text) => out.push(`${text}\n`),
    say: (text) => err.push(`${text}\n`),
    ask: (text) => err.push(text),
    status: () => {},
  };
}

/** Runs a command in this process, with text on its stdin. */
export async function runCli(
  args: readonly string[],
  env: Record<string, string> = {},
  input = "",
): Promise<CliResult> {
  const terminal = capturedTerminal(env, input);
  const status = await main(args, EXECUTABLE, terminal);
  return { status, stdout: terminal.out.join(""), stderr: terminal.err.join("") };
}
