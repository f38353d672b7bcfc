import { expect, test } from "bun:test";
import { stubServer } from "../testing/stub-server.ts";
import { ApiClient } from "./client.ts";
import { waitForApproval } from "./device-flow.ts";

const DEVICE = {
  device_code: "d-1",
  user_code: "ABCD-EFGH",
  verification_uri: "http://x/device",
  verification_uri_complete: "http://x/device?user_code=ABCD-EFGH",
  expires_in: 900,
  interval: 5,
};
const GRANT = {
  access_token: "vts_x",
  token_type: "bearer" as const,
  expires_in: 7_776_000,
  user: { login: "ada", name: null },
};

function refusal(error: string, detail = error): Response {
  return Response.json({ error, detail }, { status: 400 });
}

/** Runs the flow with these responses. Returns the result and the pauses in seconds. */
async function flow(...responses: Response[]) {
  await using server = stubServer({ "POST /auth/device/token": responses });
  const pauses: number[] = [];
  const outcome = await waitForApproval(new ApiClient(server.url, null), DEVICE, async (milliseconds) => {
    pauses.push(milliseconds / 1000);
  }).catch((error: Error) => error.message);
  return { outcome, pauses, requested: server.requested };
}

test("the interval is kept until the user has approved", async () => {
  const { outcome, pauses, requested } = await flow(
    refusal("authorization_pending"),
    refusal("authorization_pending"),
    Response.json(GRANT),
  );
  expect(outcome).toEqual(GRANT);
  expect(pauses).toEqual([5, 5, 5]);
  expect(requested[0]?.body).toEqual({ device_code: "d-1" });
});

test("slow_down increases the interval by five seconds permanently", async () => {
  const { pauses } = await flow(refusal("slow_down"), refusal("authorization_pending"), Response.json(GRANT));
  expect(pauses).toEqual([5, 10, 10]);
});

test.each([
  ["access_denied", "why, in the server's words"],
  ["expired_token", "the code has expired"],
  ["invalid_grant", "why, in the server's words"],
])("%p ends the flow", async (error, message) => {
  expect((await flow(refusal(error, "why, in the server's words"))).outcome).toBe(message);
});

test("the code's lifetime ends the flow, whatever the server responds", async () => {
  const { outcome, pauses } = await flow(refusal("authorization_pending"));
  expect(outcome).toBe("the code has expired");
  expect(pauses.length).toBe(DEVICE.expires_in / DEVICE.interval);
});

test("a server that fails temporarily is retried with growing pauses", async () => {
  const broken = Response.json({ detail: "internal error" }, { status: 500 });
  const { outcome, pauses } = await flow(broken, broken, Response.json(GRANT));
  expect(outcome).toEqual(GRANT);
  expect(pauses).toEqual([5, 10, 20]);
  expect((await flow(broken)).outcome).toContain("does not respond any more");
});
