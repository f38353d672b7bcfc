import { describe, expect, test } from "bun:test";
import { readHttpAnswer } from "./answer.ts";

describe("an HTTP answer", () => {
  const read = (text: string) => readHttpAnswer(Buffer.from(text.replaceAll("\n", "\r\n")));
  test.each([
    ["HTT", null],
    ["HTTP/1.1 200 OK\nA: b\n", null],
    ["HTTP/1.1 100 Continue\n\n", null],
    ["HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\nContent-Length: 2\n\nabc", { body: "ab", complete: true }],
    ["HTTP/1.1 200\nContent-Length: 4\n\nabc", { body: "abc", complete: false }],
    ["HTTP/1.0 200 OK\n\nabc", { body: "abc", complete: false }],
    ["HTTP/1.1 204 No Content\n\nabc", { body: "", complete: true }],
    ["HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2;x=y\nab\n1\nc\n0\n\n", { body: "abc", complete: true }],
    ["HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nab\n5\nc", { body: "abc", complete: false }],
    ["HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\nzz\n", { body: "", complete: false }],
  ])("%p", (text, expected) => {
    const answer = read(text);
    expect(answer && { body: answer.body.toString(), complete: answer.complete }).toEqual(expected);
  });

  test.each(["SSH-2.0", "HTTP/2 200\n\n", "HTTP/1.1 20 OK\n\n", "<html>"])("%p is none", (text) => {
    expect(() => read(text)).toThrow("not an HTTP/1 answer");
  });
});
