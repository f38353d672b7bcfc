import { describe, expect, test } from "bun:test";
import { DAY, HOUR } from "../../../src/domain/timestamp.ts";
import { labelsOf, nameOf, type Series, seriesOf } from "./chart-points.ts";

const NOW = Date.parse("2026-11-22T22:10:00Z");

function series(interval: Series["interval"], length: number): Series {
  const unit = interval === "hour" ? HOUR : DAY;
  const last = Math.floor(NOW / unit) * unit;
  const points = Array.from({ length }, (_, index) => ({
    at: last - (length - 1 - index) * unit,
    views: index,
    visitors: 0,
    bytes: 0,
  }));
  return { interval, points };
}

const texts = (shown: Series, width: number, now = NOW) => labelsOf(shown, width, now).map(({ text }) => text);

describe("labels", () => {
  test("of days end today, with enough space for each", () => {
    expect(texts(series("day", 30), 1100)).toEqual([
      "25 Oct",
      "27 Oct",
      "29 Oct",
      "31 Oct",
      "2 Nov",
      "4 Nov",
      "6 Nov",
      "8 Nov",
      "10 Nov",
      "12 Nov",
      "14 Nov",
      "16 Nov",
      "18 Nov",
      "20 Nov",
      "Today",
    ]);
    expect(texts(series("day", 30), 280)).toEqual(["25 Oct", "1 Nov", "8 Nov", "15 Nov", "Today"]);
    expect(texts(series("day", 7), 1100).at(0)).toBe("16 Nov");
    expect(texts(series("day", 90), 280)).toEqual(["23 Sept", "23 Oct", "Today"]);
  });

  test("of hours end with the current one", () => {
    expect(texts(series("hour", 48), 1100)).toEqual([
      "21 Nov, 04:00",
      "21 Nov, 10:00",
      "21 Nov, 16:00",
      "21 Nov, 22:00",
      "22 Nov, 04:00",
      "22 Nov, 10:00",
      "22 Nov, 16:00",
      "Now",
    ]);
    expect(texts(series("hour", 48), 280)).toEqual(["21 Nov, 22:00", "Now"]);
  });

  test("show a date if the last day is over", () => {
    expect(texts(series("day", 7), 1100, NOW + DAY).at(-1)).toBe("22 Nov");
  });

  test("exist in a window without width, and for a single day", () => {
    expect(texts(series("day", 30), 0)).toEqual(["Today"]);
    expect(texts(series("day", 1), 1100)).toEqual(["Today"]);
    expect(texts(series("day", 0), 1100)).toEqual([]);
  });
});

test("an hour and a day have a name", () => {
  expect(nameOf(series("day", 1), NOW, NOW)).toBe("Today");
  expect(nameOf(series("hour", 1), NOW, NOW)).toBe("This hour");
  expect(nameOf(series("day", 1), NOW - 2 * DAY, NOW)).toBe("20 November");
  expect(nameOf(series("hour", 1), Date.parse("2026-11-21T09:00:00Z"), NOW)).toBe("21 November at 09:00");
});

test("hours are shown if there are some, otherwise days", () => {
  const counts = { views: 1, visitors: 1, bytes: 1 };
  const days = [{ day: "2026-11-22", bot_views: 0, ...counts }];
  expect(seriesOf({ days })).toMatchObject({ interval: "day", points: [{ at: Date.parse("2026-11-22") }] });
  const hours = [{ hour: "2026-11-22T22:00:00.000Z", ...counts }];
  expect(seriesOf({ days, hours })).toMatchObject({ interval: "hour", points: [{ at: NOW - 10 * 60_000 }] });
});
