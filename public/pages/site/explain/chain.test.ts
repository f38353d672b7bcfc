import { expect, test } from "bun:test";
import type { VisitExplanation } from "../../../api/types.ts";
import { followRedirects } from "./chain.ts";

const BASE = "https://blog.example.com";

/** The response at each path: a status and a location. */
function site(responses: Record<string, readonly [status: number, location?: string]>) {
  return async (url: string): Promise<VisitExplanation | null> => {
    if (!url.startsWith(BASE)) return null;
    const [status, location] = responses[url.slice(BASE.length)] ?? [404];
    return { url, status, headers: location === undefined ? {} : { location } } as VisitExplanation;
  };
}

async function chainFrom(path: string, ask: ReturnType<typeof site>) {
  const { hops, ...end } = await followRedirects((await ask(BASE + path)) as VisitExplanation, ask);
  return { statuses: hops.map(({ status }) => status), ...end };
}

test("redirects within the site are followed to the final response", async () => {
  const ask = site({ "/a": [301, "/b?x=1#top"], "/b?x=1": [308, `${BASE}/c`], "/c": [200] });
  expect(await chainFrom("/a", ask)).toEqual({ statuses: [301, 308, 200], away: null, isLoop: false });
});

test("a page ends the chain, and so does a status without a location", async () => {
  const ask = site({ "/": [200, "/ignored"], "/odd": [304] });
  expect(await chainFrom("/", ask)).toEqual({ statuses: [200], away: null, isLoop: false });
  expect(await chainFrom("/odd", ask)).toEqual({ statuses: [304], away: null, isLoop: false });
});

test("a redirect to another host ends the chain", async () => {
  const ask = site({ "/help": [302, "https://help.example/"] });
  expect(await chainFrom("/help", ask)).toEqual({ statuses: [302], away: "https://help.example/", isLoop: false });
});

test("a loop is detected, and so is an endless chain", async () => {
  const circle = site({ "/a": [301, "/b"], "/b": [301, "/a"] });
  expect(await chainFrom("/a", circle)).toEqual({ statuses: [301, 301], away: `${BASE}/a`, isLoop: true });
  const endless = async (url: string) =>
    ({ url, status: 301, headers: { location: `${url}x` } }) as unknown as VisitExplanation;
  const { hops, isLoop } = await followRedirects(await endless(BASE), endless);
  expect([hops.length, isLoop]).toEqual([6, true]);
});
