import { afterAll, expect, test } from "bun:test";
import { zipOf } from "../acceptance/testing/archives.ts";
import { openTestApi } from "./testing/test-api.ts";

// A hosted site is same-site with the base URL, so browsers send the dashboard's cookie with requests of its pages.

const api = await openTestApi();
const { user, token } = await api.signUp("ada");
await api.store.users.setOperator(user.id, true);
await api.deploy(token, await zipOf({ "index.html": "x" }), { site: "demo", access: "private" });
const cookie = `vitrine=${token}`;
afterAll(() => api[Symbol.asyncDispose]());

type Fields = Readonly<Record<string, string>>;

const from = (site: string, mode: string, dest: string): Fields => ({
  "Sec-Fetch-Site": site,
  "Sec-Fetch-Mode": mode,
  "Sec-Fetch-Dest": dest,
});
const IMAGE = from("same-site", "no-cors", "image");
const LINK = from("cross-site", "navigate", "document");

async function get(path: string, headers: Fields) {
  const response = await api.call("GET", path, { headers });
  // A stream of events does not end.
  const isStream = response.headers.get("content-type") === "text/event-stream";
  const body = isStream ? await response.body?.cancel() : await response.text();
  return { status: response.status, headers: [...response.headers], body };
}

const STREAM = "/events";
const DOWNLOAD = "/sites/demo/deployments/1/archive";
const VISIT = `/visit?host=demo.localhost&path=/&state=${"0".repeat(64)}`;
const SHOWN = [STREAM, DOWNLOAD, "/sign-in", "/device", VISIT];

test.each([
  ["an image of a site", IMAGE],
  ["an image of another domain", from("cross-site", "no-cors", "image")],
  ["a prefetch of a site", { ...from("same-site", "no-cors", "empty"), "Sec-Purpose": "prefetch" }],
  ["a page that a site fetches in advance", { ...LINK, "Sec-Purpose": "prefetch" }],
  ["a script's fetch", from("same-site", "cors", "empty")],
  ["a frame", from("same-site", "navigate", "iframe")],
  ["an object", from("same-site", "navigate", "object")],
  ["a browser of the future", { "Sec-Fetch-Site": "same-party" }],
])("%s gets a stranger's response, whoever the user is", async (_cause, headers) => {
  for (const path of [...SHOWN, "/sites", "/auth/me", "/admin/users", "/sites/demo/access", "/nothing"]) {
    expect(await get(path, { ...headers, cookie })).toEqual(await get(path, headers));
  }
});

test.each([
  ["the dashboard", from("same-origin", "cors", "empty")],
  ["a URL that the user typed", from("none", "navigate", "document")],
  ["a link on a site", from("same-site", "navigate", "document")],
  ["a link on another domain", LINK],
  ["a browser that does not tell", {}],
])("the cookie counts after %s", async (_cause, headers) => {
  for (const path of SHOWN) {
    expect(await get(path, { ...headers, cookie })).not.toEqual(await get(path, headers));
  }
});

test("a program's token counts whatever the headers say", async () => {
  const token = cookie.slice("vitrine=".length);
  expect((await api.call("GET", "/auth/me", { token, headers: IMAGE })).status).toBe(200);
});

test("images of a page use up none of their visitor's attempts", async () => {
  const device = await api.call("POST", "/auth/device", { json: {} });
  const { user_code } = (await device.json()) as { user_code: string };
  for (let time = 0; time < 10; time++) {
    await get("/device?user_code=BCDF-GHJK", { ...IMAGE, cookie });
    await api.call("POST", "/auth/device", { json: {}, headers: from("cross-site", "no-cors", "empty") });
  }
  expect(await get(`/device?user_code=${user_code}`, { ...LINK, cookie })).toMatchObject({ status: 200 });
});

test.each([
  ["/auth/device", {}],
  ["/auth/device/token", { device_code: "x" }],
  ["/auth/token", {}],
  ["/sign-in", {}],
])("a page elsewhere cannot send anything to %s", async (path, json) => {
  const headers = from("cross-site", "navigate", "document");
  expect((await api.call("POST", path, { json, headers })).status).toBe(403);
});
