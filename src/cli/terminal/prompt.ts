import { passwordProblem } from "../../domain/accounts/password-rules.ts";
import { Failure, UsageError } from "../errors.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Asks for a new password twice, without echo; asks again until both are the same and can be a password. `question` is
 * what stands in front of the first answer.
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

/** Asks for the password in use, without echo. */
export function askOldPassword(terminal: Terminal): Promise<string> {
  return askHidden(terminal, "Current password: ");
}

/** Returns the password on stdin, up to its line end. */
export async function readPasswordFromStdin(): Promise<string> {
  const [password = "", ...more] = await linesOfStdin();
  if (password === "" && more.length === 0)
    throw new UsageError("No password on stdin.", "Pipe it in: printf %s 'the password' | vitrine …");
  if (more.length > 0) throw new UsageError("The password on stdin has more than one line.");
  return password;
}

/** Returns the old and the new password, which stand on a line of stdin each. */
export async function readPasswordsFromStdin(): Promise<{ readonly old: string; readonly next: string }> {
  const [old, next, ...more] = await linesOfStdin();
  if (old !== undefined && next !== undefined && more.length === 0) return { old, next };
  throw new UsageError(
    "Expected the old and the new password on stdin, one per line.",
    "Pipe them in: printf '%s\\n' 'the old password' 'the new password' | vitrine passwd --password-stdin",
  );
}

async function linesOfStdin(): Promise<string[]> {
  return (await Bun.stdin.text()).replace(/\r?\n$/, "").split(/\r\n|[\r\n]/);
}

/**
 * Asks a question that only a clear yes answers with true; says so where nothing is changed therefore. Throws
 * UsageError where there is nobody to ask: `advice` tells how to agree without a question.
 */
export async function confirm(terminal: Terminal, question: string, advice: string): Promise<boolean> {
  if (!terminal.canAsk) throw new UsageError(`Cannot ask without a terminal: ${question}`, advice);
  const answer = await askLine(terminal, `${question} [y/N] `);
  if (/^(y|yes)$/i.test(answer.trim())) return true;
  terminal.say("Nothing was changed.");
  return false;
}

async function askLine(terminal: Terminal, question: string): Promise<string> {
  terminal.ask(question);
  for await (const line of console) return line;
  return "";
}

const CTRL_C = "\x03";
const CTRL_D = "\x04";
const CTRL_U = "\x15";
const BACKSPACE = ["\x7f", "\b"];
const ENTER = ["\r", "\n"];

/**
 * Reads keys until Enter in raw mode, where the terminal does not echo; the mode is put back whatever happens. It is
 * raw before the question shows, so that nothing typed at once is seen.
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

/** Keys that were typed ahead, such as the rest of a paste, wait for the next question. */
let typedAhead = "";

function readKeys(): Promise<string> {
  const { stdin } = process;
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let password = "";
  const onKeys = (keys: string) => {
    for (const [index, key] of [...keys].entries()) {
      if (ENTER.includes(key) || key === CTRL_D) {
        typedAhead = [...keys].slice(index + 1).join("");
        return resolve(password);
      }
      if (key === CTRL_C) return reject(new Failure("Cancelled. Nothing was changed."));
      if (key === CTRL_U) password = "";
      else if (BACKSPACE.includes(key)) password = [...password].slice(0, -1).join("");
      else password += key;
    }
  };
  const waiting = typedAhead;
  typedAhead = "";
  onKeys(waiting);
  stdin.on("data", onKeys);
  return promise.finally(() => stdin.off("data", onKeys));
}
