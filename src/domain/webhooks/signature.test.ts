import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { Webhook as Verifier } from "standardwebhooks";
import { HOUR } from "../timestamp.ts";
import { newWebhookSecret, ROTATION_TIME, signedHeaders } from "./signature.ts";

const NOW = Date.UTC(2026, 0, 1);
const secrets = { random: (length: number) => new Uint8Array(length).fill(7), sha256: (text: string) => text };
const first = newWebhookSecret(secrets);
const second = newWebhookSecret({ ...secrets, random: (length) => new Uint8Array(length).fill(9) });
const body = '{"type":"ping","data":"grüße"}';

const webhook = { secret: first, previousSecret: null, previousSecretUntil: null };
const rotated = { secret: second, previousSecret: first, previousSecretUntil: NOW + ROTATION_TIME };

function verify(secret: string, headers: Record<string, string>, at: number): unknown {
  setSystemTime(new Date(at));
  return new Verifier(secret).verify(body, headers);
}
afterEach(() => void setSystemTime());

describe("a signature", () => {
  test("equals that of the reference implementation, which accepts it", async () => {
    const headers = await signedHeaders(webhook, { id: "msg_1", at: NOW + 999, body });
    expect(headers["webhook-timestamp"]).toBe(String(NOW / 1000));
    expect(headers["webhook-signature"]).toBe(new Verifier(first).sign("msg_1", new Date(NOW), body));
    expect(verify(first, headers, NOW)).toEqual(JSON.parse(body));
  });

  test.each([
    ["id", { "webhook-id": "msg_2" }],
    ["time", { "webhook-timestamp": String(NOW / 1000 + 1) }],
  ])("covers the %s", async (_what, forged) => {
    const headers = await signedHeaders(webhook, { id: "msg_1", at: NOW, body });
    expect(() => verify(first, { ...headers, ...forged }, NOW)).toThrow("No matching signature");
  });

  test("covers the body", async () => {
    const headers = await signedHeaders(webhook, { id: "msg_1", at: NOW, body: `${body} ` });
    expect(() => verify(first, headers, NOW)).toThrow("No matching signature");
  });

  test.each([
    ["before the end of a day", NOW + 24 * HOUR - 1, [true, true]],
    ["afterwards", NOW + 24 * HOUR, [false, true]],
  ])("after a rotation uses both secrets %s", async (_when, at, [old, fresh]) => {
    const headers = await signedHeaders(rotated, { id: "msg_1", at, body });
    const holds = (secret: string) => {
      try {
        return verify(secret, headers, at) !== null;
      } catch {
        return false;
      }
    };
    expect([holds(first), holds(second)]).toEqual([old as boolean, fresh as boolean]);
  });
});

test("a secret is whsec_ and 32 bytes in base64", () => {
  expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
