import { PROGRAM } from "./program-command.ts";

export interface TerminalSession {
  /** Resolves with all output once it contains the text, without colours; rejects if the program ends before. */
  shows(text: string): Promise<string>;
  /** Types keys; `\r` is Enter. */
  type(keys: string): void;
  readonly exited: Promise<{ readonly status: number; readonly screen: string }>;
}

/** Runs a vitrine command at a pseudo-terminal. */
export function runAtTerminal(args: readonly string[], env: Record<string, string> = {}): TerminalSession {
  return spawnAtTerminal([...PROGRAM, ...args], env);
}

/** Runs any program at a pseudo-terminal of 80 columns. */
export function spawnAtTerminal(command: readonly string[], env: Record<string, string> = {}): TerminalSession {
  let screen = "";
  let ended = false;
  const decoder = new TextDecoder();
  const waiting = new Set<() => void>();
  const changed = () => {
    for (const check of waiting) check();
  };
  const child = Bun.spawn([...command], {
    env: { PATH: process.env.PATH ?? "", TERM: "xterm-256color", ...env },
    terminal: {
      cols: 80,
      rows: 24,
      data(_, bytes) {
        screen += decoder.decode(bytes, { stream: true });
        changed();
      },
    },
  });
  const exited = child.exited.then((status) => {
    child.terminal?.close();
    ended = true;
    changed();
    return { status, screen };
  });
  return {
    exited,
    type: (keys) => child.terminal?.write(keys),
    shows: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (Bun.stripANSI(screen).includes(text)) resolve(screen);
          else if (ended) reject(new Error(`ended without showing ${JSON.stringify(text)}: ${JSON.stringify(screen)}`));
          else return;
          waiting.delete(check);
        };
        waiting.add(check);
        check();
      }),
  };
}
