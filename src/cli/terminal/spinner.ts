import type { Terminal } from "./terminal.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const FRAME_TIME = 80;

/** Turns a spinner beside a text while work is done; without a lively terminal only the text is said. */
export async function spin<T>(terminal: Terminal, text: string, work: () => Promise<T>): Promise<T> {
  if (!terminal.lively) {
    terminal.say(`${text} …`);
    return work();
  }
  let frame = 0;
  const turn = () => terminal.status(`${terminal.style.cyan(FRAMES[frame++ % FRAMES.length] as string)} ${text}`);
  turn();
  const timer = setInterval(turn, FRAME_TIME);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    terminal.status("");
  }
}
