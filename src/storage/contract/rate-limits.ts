import { describe, expect, test } from "bun:test";
import type { Store } from "../../domain/ports/store.ts";

const WINDOW = { count: 3, window: 1000 };

/** The contract of rate limits. */
export function rateLimitContract(current: () => Store): void {
  describe("rate limits", () => {
    test("allow as many events as configured, and return when the next is allowed", async () => {
      const { rateLimits } = current();
      const waits = [];
      for (const now of [0, 100, 200, 300, 999]) waits.push(await rateLimits.take("a", WINDOW, now));
      expect(waits).toEqual([0, 0, 0, 700, 1]);
    });

    test("slide: an event is allowed for each one that leaves the window, and refused ones do not count", async () => {
      const { rateLimits } = current();
      for (const now of [0, 100, 200, 900, 950]) await rateLimits.take("a", WINDOW, now);
      expect(await rateLimits.take("a", WINDOW, 1000)).toBe(0);
      expect(await rateLimits.take("a", WINDOW, 1000)).toBe(100);
    });

    test("count each key separately", async () => {
      const { rateLimits } = current();
      for (let event = 0; event < 3; event++) await rateLimits.take("a", WINDOW, 0);
      expect(await rateLimits.take("b", WINDOW, 0)).toBe(0);
    });

    test("delay nobody by more than the window, even if another thread read the clock later", async () => {
      const { rateLimits } = current();
      for (let event = 0; event < 3; event++) await rateLimits.take("a", WINDOW, 5000);
      expect(await rateLimits.take("a", WINDOW, 0)).toBe(1000);
      expect(await rateLimits.count("a", 1000, 0)).toBe(3);
      expect(await rateLimits.wait("a", WINDOW, 5400)).toBe(600);
    });

    test("ignore events of a clock that was set back by more than a minute", async () => {
      const { rateLimits } = current();
      for (let event = 0; event < 3; event++) await rateLimits.take("a", WINDOW, 90_000);
      expect(await rateLimits.wait("a", WINDOW, 0)).toBe(0);
      expect(await rateLimits.count("a", 1000, 0)).toBe(0);
      const waits = [];
      for (let event = 0; event < 4; event++) waits.push(await rateLimits.take("a", WINDOW, 0));
      expect(waits).toEqual([0, 0, 0, 1000]);
      expect(await rateLimits.wait("a", WINDOW, 90_000)).toBe(0);
    });

    test("can be checked without counting", async () => {
      const { rateLimits } = current();
      for (let look = 0; look < 5; look++) expect(await rateLimits.wait("a", WINDOW, 0)).toBe(0);
      for (let event = 0; event < 3; event++) await rateLimits.take("a", WINDOW, 10);
      expect(await rateLimits.wait("a", WINDOW, 20)).toBe(990);
      expect(await rateLimits.count("a", 1000, 20)).toBe(3);
      expect(await rateLimits.count("a", 1000, 1010)).toBe(0);
    });

    test("allow no more than the limit at one instant", async () => {
      const { rateLimits } = current();
      const waits = await Promise.all(Array.from({ length: 20 }, () => rateLimits.take("a", WINDOW, 5)));
      expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
    });

    test("delete expired events on demand, including those of a clock that was set back", async () => {
      const { rateLimits } = current();
      for (const now of [0, 10, 20]) await rateLimits.take("a", WINDOW, now);
      await rateLimits.take("b", WINDOW, 90_000);
      expect(await rateLimits.deleteOld(1000, 1010)).toBe(3);
      expect(await rateLimits.count("a", 1000, 20)).toBe(1);
      expect(await rateLimits.count("b", 1000, 90_000)).toBe(0);
    });
  });
}
