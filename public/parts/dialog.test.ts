import { expect, test } from "bun:test";
import { ApiError } from "../api/client.ts";
import { mount, settled } from "../testing/mount.ts";
import { watchToasts } from "../testing/toasts.ts";
import { useOperation } from "./dialog.tsx";

/** A form's operation that is refused, and whose page is reloaded once `reloaded` is resolved. */
async function refuse() {
  const form = mount(useOperation);
  const { promise, resolve: reloaded } = Promise.withResolvers<void>();
  const run = form.shown.run(() => Promise.reject(new ApiError(409, "Not yet", promise)));
  expect(await run).toBe(false);
  await settled();
  return { form, reloaded };
}

test("an operation is busy until it ends, with or without success", async () => {
  using form = mount(useOperation);
  for (const end of ["resolve", "reject"] as const) {
    const operation = Promise.withResolvers<unknown>();
    const run = form.shown.run(() => operation.promise);
    await settled();
    expect(form.shown.busy).toBe(true);
    operation[end](new Error("refused"));
    expect(await run).toBe(end === "resolve");
    await settled();
    expect([form.shown.busy, form.shown.problem]).toEqual([false, end === "resolve" ? null : "refused"]);
  }
});

test("a refusal is shown while the page is still reloading, and by no toast if the form stays", async () => {
  using toasts = watchToasts();
  const { form, reloaded } = await refuse();
  expect(form.shown.problem).toBe("Not yet");
  reloaded();
  await settled();
  expect(toasts.all).toEqual([]);
  form[Symbol.dispose]();
});

test.each<[what: string, act: (form: ReturnType<typeof useOperation>) => unknown, texts: string[]]>([
  ["is shown by a toast", () => {}, ["Not yet"]],
  ["that was closed is not shown again", (form) => form.dismiss(), []],
  ["that a later success resolved is not shown again", (form) => form.run(async () => {}), []],
])("after the reload has removed its form, a refusal %s", async (_, act, texts) => {
  using toasts = watchToasts();
  const { form, reloaded } = await refuse();
  await act(form.shown);
  form[Symbol.dispose]();
  reloaded();
  await settled();
  expect(toasts.all.map(({ text }) => text)).toEqual(texts);
});

test("a failure that comes after its form was left is shown by a toast", async () => {
  using toasts = watchToasts();
  const form = mount(useOperation);
  const operation = Promise.withResolvers<void>();
  void form.shown.run(() => operation.promise);
  await settled();
  form[Symbol.dispose]();
  await settled();
  operation.reject(new ApiError(503, "Service unavailable"));
  await settled();
  expect(toasts.all.map(({ text }) => text)).toEqual(["Service unavailable"]);
});
