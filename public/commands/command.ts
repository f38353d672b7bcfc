import type { IconName } from "../parts/icons.tsx";

/** An action that is available anywhere on a page, in the palette and by its keys. */
export interface Command {
  readonly name: string;
  readonly icon: IconName;
  /** The key, or the sequence of keys, in lower case: `["g", "s"]`. */
  readonly keys?: readonly string[];
  /** A page of the dashboard or, with `away`, another URL. Exactly one of `href` and `run` is set. */
  readonly href?: string;
  readonly away?: boolean;
  readonly run?: () => void;
}

export interface CommandGroup {
  readonly name: string;
  readonly commands: readonly Command[];
}

/** Runs a command; opens a link in a new tab if `inNewTab`. */
export function runCommand({ href, away, run }: Command, go: (path: string) => void, inNewTab = false): void {
  if (href === undefined) run?.();
  else if (away || inNewTab) open(href, "_blank", "noopener");
  else go(href);
}

/** Returns the command for the typed keys, `"more"` if they are a prefix of one, or null. */
export function commandFor(commands: readonly Command[], typed: readonly string[]): Command | "more" | null {
  let mayBecome = false;
  for (const command of commands) {
    const { keys } = command;
    if (!keys || !typed.every((key, index) => keys[index] === key)) continue;
    if (keys.length === typed.length) return command;
    mayBecome = true;
  }
  return mayBecome ? "more" : null;
}
