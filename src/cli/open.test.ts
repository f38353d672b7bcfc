import { expect, test } from "bun:test";
import { pageOf } from "./open.ts";

test.each(["https://demo.example.org/", "http://demo.localhost:8080/"])("%s is opened", (url) => {
  expect(pageOf(url)).toBe(url);
});

test.each(["file:///etc/passwd", "--help", "/usr/bin/xeyes", "javascript:alert(1)", ""])(
  "%p is not opened",
  (named) => {
    expect(() => pageOf(named)).toThrow("no web page");
  },
);
