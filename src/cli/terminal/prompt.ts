import { createInterface } from "node:readline";
import { passwordProblem } from "../../domain/accounts/password-rules.ts";
import { Failure, UsageError } from "./errors.ts";
import type { Terminal } from "./terminal.ts";

export interface PasswordOption {
  readonly passwordStdin?: boolean;
}

/** Reads a new password from stdin with `--password-stdin`, and asks for it otherwise. */
export async function choosePassword(terminal: Terminal, { passwordStdin }: PasswordOption): Promise<string> {
  if (passwordStdin) return readPasswordFromStdin(terminal);
  if (terminal.canAsk) return askNewPassword(terminal);
  throw new UsageError("cannot ask for a password without a terminal", "Pass it on stdin: --password-stdin");
}

/**
 * Asks for a new password twice, without echo, until both are equal and acceptable. `question` is
 * the first prompt.
 */
export async function askNewPassword(terminal: Terminal, question = "Password: "): Promise<string> {
  for (;;) {
    const password = await askHidden(terminal, question);
    const problem = passwordProblem(password);
    if (problem !== null) {
      terminal.say(problem);
      continue;
    }
    const again = await askHidden(terminal, "Repeat the password: ");
    if (password === again) return password;
    terminal.say("The passwords do not match.");
  }
}

/** Asks for the current password, without echo. */
export function askOldPassword(terminal: Terminal): Promise<string> {
  return askHidden(terminal, "Current password: ");
}

/** Reads the password from the first line of stdin. */
async function readPasswordFromStdin(terminal: Terminal): Promise<string> {
  const [password = "", ...more] = await linesOfStdin(terminal);
  if (password === "" && more.length === 0)
    throw new UsageError("no password on stdin", "Pipe it in: printf %s 'the password' | vitrine …");
  if (more.length > 0) throw new UsageError("the password on stdin has more than one line");
  return password;
}

/** Reads the old and the new password from two lines of stdin. */
export async function readPasswordsFromStdin(
  terminal: Terminal,
): Promise<{ readonly old: string; readonly next: string }> {
  const [old, next, ...more] = await linesOfStdin(terminal);
  if (old !== undefined && next !== undefined && more.length === 0) return { old, next };
  throw new UsageError(
    "expected the old and the new password on stdin, one per line",
    "Pipe them in: printf '%s\\n' 'the old password' 'the new password' | vitrine passwd --password-stdin",
  );
}

async function linesOfStdin(terminal: Terminal): Promise<string[]> {
  return (await terminal.readInput()).replace(/\r?\n$/, "").split(/\r\n|[\r\n]/);
}

/**
 * Asks a question; true only for an explicit yes. Otherwise prints that nothing was changed. Throws
 * UsageError with `advice` without a terminal.
 */
export async function confirm(terminal: Terminal, question: string, advice: string): Promise<boolean> {
  if (!terminal.canAsk) throw new UsageError(`cannot ask without a terminal: ${question}`, advice);
  const answer = await askLine(terminal, `${question} [y/N] `);
  if (/^(y|yes)$/i.test(answer.trim())) return true;
  terminal.say("Nothing was changed.");
  return false;
}

/** Asks for a line of text, and returns it without surrounding blanks. Only at a terminal. */
export async function askText(terminal: Terminal, question: string): Promise<string> {
  return (await askLine(terminal, question)).trim();
}

async function askLine(terminal: Terminal, question: string): Promise<string> {
  terminal.ask(question);
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line;
    return "";
  } finally {
    // Under Bun, leaving the loop does not do this, and the process would wait for more.
    lines.close();
  }
}

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_U = "\x15";
const BACKSPACE = ["\x7f", "\b"];
const ENTER = ["\r", "\n"];

/**
 * Reads keys until Enter in raw mode, without echo, and restores the mode afterwards. The mode is
 * set before the question is printed, so that early keystrokes are not echoed.
 */
async function askHidden(terminal: Terminal, question: string): Promise<string> {
  const { stdin } = process;
  stdin.setRawMode(true);
  stdin.setEncoding("utf8");
  stdin.resume();
  terminal.ask(question);
  try {
    return await readKeys();
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    terminal.say("");
  }
}

/** Keys typed ahead, such as the rest of a paste, are kept for the next question. */
let typedAhead = "";

function readKeys(): Promise<string> {
  const { stdin } = process;
  return new Promise((resolve, reject) => {
    let password = "";
    const onKeys = (keys: string) => {
      for (const [index, key] of [...keys].entries()) {
        if (ENTER.includes(key) || key === CTRL_D || key === CTRL_C) {
          stdin.off("data", onKeys);
          typedAhead = [...keys].slice(index + 1).join("");
          return key === CTRL_C ? reject(new Failure("cancelled: nothing was changed")) : resolve(password);
        }
        if (key === CTRL_U) password = "";
        else if (BACKSPACE.includes(key)) password = [...password].slice(0, -1).join("");
        else password += key;
      }
    };
    const waiting = typedAhead;
    typedAhead = "";
    stdin.on("data", onKeys);
    onKeys(waiting);
  });
}
