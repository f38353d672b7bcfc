import { expect, test } from "bun:test";
import { newestLast } from "./newest-last.ts";

/** Requests that stay pending until they are resolved. */
function held() {
  const sent: string[] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const send = newestLast((value: string) => {
    sent.push(value);
    const answer = Promise.withResolvers<void>();
    answers.push(answer);
    return answer.promise;
  });
  return { sent, answers, send };
}

test("a value waits for the previous one, and only the newest is sent", async () => {
  const { sent, answers, send } = held();
  const first = send("a");
  await Bun.sleep(0);
  const [second, third] = [send("b"), send("c")];
  expect(sent).toEqual(["a"]);
  answers[0]?.resolve();
  expect(await Promise.all([first, second])).toEqual([true, false]);
  expect(sent).toEqual(["a", "c"]);
  answers[1]?.resolve();
  expect(await third).toBe(true);
});

test("a failure rejects its own call and does not block others", async () => {
  const { sent, answers, send } = held();
  const first = send("a");
  await Bun.sleep(0);
  const second = send("b");
  answers[0]?.reject(new Error("refused"));
  await expect(first).rejects.toThrow("refused");
  await Bun.sleep(0);
  expect(sent).toEqual(["a", "b"]);
  answers[1]?.resolve();
  await second;
});
