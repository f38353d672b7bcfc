import type { Timers } from "../../domain/ports/timers.ts";

/** Time that passes when a test says so: waits end in their order, and what they set off runs before the next. */
export class FakeTimers implements Timers {
  private now = 0;
  private waits: { at: number; end: () => void }[] = [];

  elapsed(): number {
    return this.now;
  }

  wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wait = { at: this.now + milliseconds, end: resolve };
      this.waits.push(wait);
      signal?.addEventListener("abort", () => {
        this.waits = this.waits.filter((other) => other !== wait);
        resolve();
      });
    });
  }

  get isWaiting(): boolean {
    return this.waits.length > 0;
  }

  /** Returns once something waits: time that passes before would not count for it. */
  async begun(): Promise<void> {
    while (!this.isWaiting) await new Promise(setImmediate);
  }

  /** Lets time pass; every wait that falls due within it ends at its own moment. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.now + milliseconds;
    for (;;) {
      await settle();
      const [next] = this.waits.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.now = next.at;
      this.waits = this.waits.filter((wait) => wait !== next);
      next.end();
    }
    this.now = until;
    await settle();
  }
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  await new Promise((resolve) => setImmediate(resolve));
}
