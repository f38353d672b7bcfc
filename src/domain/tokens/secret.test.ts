import { expect, test } from "bun:test";
import { newSecret, secretPrefix } from "./secret.ts";

const secrets = {
  random: (length: number) => crypto.getRandomValues(new Uint8Array(length)),
  sha256: (text: string) => text,
};

test("a new secret is valid and of its kind", () => {
  for (const prefix of ["vts", "vtd", "vtv"] as const) {
    const secret = newSecret(secrets, prefix);
    expect(secret).toMatch(/^vt[sdv]_[0-9A-Za-z]{33}$/);
    expect(secretPrefix(secret)).toBe(prefix);
  }
});

test("the largest random number fits its digits", () => {
  const secret = newSecret({ ...secrets, random: (length) => new Uint8Array(length).fill(255) }, "vts");
  expect(secretPrefix(secret)).toBe("vts");
  expect(secret).toHaveLength(37);
});

test("two secrets are never the same", () => {
  expect(new Set(Array.from({ length: 1000 }, () => newSecret(secrets, "vtd"))).size).toBe(1000);
});

test("a secret with one character changed, removed or added is invalid", () => {
  const secret = newSecret(secrets, "vts");
  const changed = secret.slice(0, 10) + (secret[10] === "a" ? "b" : "a") + secret.slice(11);
  const wrong = [changed, secret.slice(0, -1), `${secret}0`, ` ${secret}`, secret.replace("vts", "vtd"), "", "vts_"];
  for (const text of wrong) expect(secretPrefix(text)).toBeNull();
});
