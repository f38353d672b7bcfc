import { expect, test } from "bun:test";
import { newestLast } from "./newest-last.ts";

/** Requests that stay pending until they are resolved. */
function held() {
  const sent: string[] = [];
  const responses: PromiseWithResolvers<void>[] = [];
  const send = newestLast((value: string) => {
    sent.push(value);
    const response = Promise.withResolvers<void>();
    responses.push(response);
    return response.promise;
  });
  return { sent, responses, send };
}

test("a value waits for the previous one, and only the newest is sent", async () => {
  const { sent, responses, send } = held();
  const first = send("a");
  await Bun.sleep(0);
  const [second, third] = [send("b"), send("c")];
  expect(sent).toEqual(["a"]);
  responses[0]?.resolve();
  expect(await Promise.all([first, second])).toEqual([true, false]);
  expect(sent).toEqual(["a", "c"]);
  responses[1]?.resolve();
  expect(await third).toBe(true);
});

test("a failure rejects its own call and does not block others", async () => {
  const { sent, responses, send } = held();
  const first = send("a");
  await Bun.sleep(0);
  const second = send("b");
  responses[0]?.reject(new Error("refused"));
  await expect(first).rejects.toThrow("refused");
  await Bun.sleep(0);
  expect(sent).toEqual(["a", "b"]);
  responses[1]?.resolve();
  await second;
});
