import { expect, test } from "bun:test";
import { detailOf, isShutOut } from "./client.ts";

test.each<[status: number, body: unknown, message: string]>([
  [409, { detail: "site is not private" }, "Site is not private"],
  [409, { detail: "www.example.org is taken" }, "www.example.org is taken"],
  [422, { detail: [{ loc: ["body", "site_name"], msg: "Field required" }] }, "Site name: Field required."],
  [422, { detail: [{ loc: ["header", "X-Service-Access"], msg: "use private" }] }, "X-Service-Access: use private."],
  [422, { detail: [{ loc: ["body", "events", 3], msg: "Expected a kind" }] }, "Events 3: Expected a kind."],
  [422, { detail: [{ loc: ["body"], msg: "must be an object." }] }, "Must be an object."],
  [
    422,
    {
      detail: [
        { loc: ["query", "from"], msg: "not a day" },
        { loc: ["query", "to"], msg: "not a day" },
      ],
    },
    "From: not a day. To: not a day.",
  ],
  [502, "<h1>Bad gateway</h1>", "The server answered with status 502. Try again in a moment."],
  [431, "", "The text is too long to be sent."],
  [
    401,
    { detail: "authentication is required" },
    "Your session has ended. Sign in in another tab, then try again here.",
  ],
])("%d %j has the message %p", (status, body, message) => {
  expect(detailOf(typeof body === "string" ? body : JSON.stringify(body), status)).toBe(message);
});

test.each([
  [401, "Authentication is required", true],
  [403, "Account is frozen: unpaid: ask the operator", true],
  [403, "Site is frozen: the operator froze blog", false],
  [403, "Operator permission is required", false],
  [0, "The server cannot be reached.", false],
])("after a %i with %p the sign-in page explains why nothing works: %p", (status, detail, is) => {
  expect(isShutOut({ status, detail })).toBe(is);
});
