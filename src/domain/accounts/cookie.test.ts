import { describe, expect, test } from "bun:test";
import { cookies, hostCookie } from "./cookie.ts";

describe("a cookie over HTTPS", () => {
  const cookie = hostCookie("vitrine", true);

  test("is bound to its host and hidden from scripts", () => {
    expect(cookie.set("abc", 90_500)).toBe("__Host-vitrine=abc; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=90");
    expect(cookie.clear()).toBe("__Host-vitrine=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0");
  });

  test.each([
    ["__Host-vitrine=abc", "abc"],
    ["a=b;__Host-vitrine=abc ;c=d", "abc"],
    ["__Host-vitrine-visit=abc", null],
    ["vitrine=abc", null],
    ["__host-vitrine=abc", null],
    ["__Host-vitrine=abc; __Host-vitrine=abc", null],
    ["__Host-vitrine=a c", null],
    ['__Host-vitrine="abc"', null],
    ["__Host-vitrine=", null],
    ["__Host-vitrine", null],
    [`__Host-vitrine=${"a".repeat(201)}`, null],
    ["", null],
    [null, null],
  ])("is read from %p as %p", (header, value) => {
    expect(cookie.read(header)).toBe(value);
  });
});

test("on plain HTTP, where browsers refuse the prefix, a cookie has a plain name", () => {
  const { session } = cookies("http://localhost:8080");
  expect(session.set("abc", 1000)).toBe("vitrine=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=1");
  expect(cookies("https://vitrine.example").session.name).toBe("__Host-vitrine");
});
