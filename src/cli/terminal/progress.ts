import type { Terminal } from "./terminal.ts";
import { formatBytes } from "./units.ts";

const REDRAW_INTERVAL_MS = 100;
const WIDEST_BAR = 30;

/** Draws a progress bar. Does nothing unless the terminal can redraw a line. */
export class ProgressBar {
  #done = 0;
  #drawnAt = 0;

  constructor(
    private readonly terminal: Terminal,
    private readonly verb: string,
    private readonly total: number,
    private readonly format: (amount: number) => string = formatBytes,
  ) {}

  advance(amount: number): void {
    this.#done += amount;
    const now = performance.now();
    if (now - this.#drawnAt < REDRAW_INTERVAL_MS && this.#done < this.total) return;
    this.#drawnAt = now;
    this.terminal.status(barLine(this.terminal, this.verb, this.#done, this.total, this.format));
  }

  clear(): void {
    this.terminal.status("");
  }
}

/** Returns a progress bar that fits the terminal: `Uploading ━━━━━━──── 62 %  1.2 MiB of 2 MiB`. */
export function barLine(
  terminal: Pick<Terminal, "columns" | "style">,
  verb: string,
  done: number,
  total: number,
  format: (amount: number) => string = formatBytes,
): string {
  const share = total === 0 ? 1 : Math.min(done / total, 1);
  const figures = `${String(Math.floor(share * 100)).padStart(3)} %  ${format(done)} of ${format(total)}`;
  const room = terminal.columns - verb.length - figures.length - 3;
  const width = Math.max(0, Math.min(WIDEST_BAR, room));
  const filled = Math.round(share * width);
  const bar = terminal.style.green("━".repeat(filled)) + terminal.style.dim("─".repeat(width - filled));
  return `${verb} ${bar} ${figures}`.slice(0, width > 0 ? undefined : terminal.columns - 1);
}

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_MS = 80;

/** Shows a spinner during work. If the terminal cannot redraw a line, it prints the text only. */
export async function spin<T>(terminal: Terminal, text: string, work: () => Promise<T>): Promise<T> {
  if (!terminal.canRedraw) {
    terminal.say(`${text} …`);
    return work();
  }
  let frame = 0;
  const turn = () => terminal.status(`${terminal.style.cyan(FRAMES[frame++ % FRAMES.length] as string)} ${text}`);
  turn();
  const timer = setInterval(turn, FRAME_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    terminal.status("");
  }
}
