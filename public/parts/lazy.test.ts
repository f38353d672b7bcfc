import { expect, test } from "bun:test";
import { type ComponentType, h } from "preact";
import { mount, settled } from "../testing/mount.ts";
import { lazy } from "./lazy.tsx";

const Page = () => null;
const Waiting = () => h("p", null, "waiting");
const Failed = () => h("p", null, "failed");

/** A lazy component whose code a test delivers. */
function late() {
  const loads: PromiseWithResolvers<ComponentType<object>>[] = [];
  const load = () => {
    const next = Promise.withResolvers<ComponentType<object>>();
    loads.push(next);
    return next.promise;
  };
  return { loads, Lazy: lazy<object>(load, Waiting, Failed) };
}

test("the code is loaded once, and a placeholder is shown until then", async () => {
  const { loads, Lazy } = late();
  using one = mount(() => Lazy({}));
  using two = mount(() => Lazy({}));
  await settled();
  expect([one.shown?.type, loads.length]).toEqual([Waiting, 1]);
  loads[0]?.resolve(Page);
  await settled();
  expect([one.shown?.type, two.shown?.type]).toEqual([Page, Page]);
});

test("a component appears whose code arrives between its first drawing and the effects of that", async () => {
  const { loads, Lazy } = late();
  Lazy.preload();
  loads[0]?.resolve(Page);
  using mounted = mount(() => Lazy({}));
  expect(mounted.shown?.type).toBe(Waiting);
  await settled();
  expect(mounted.shown?.type).toBe(Page);
});

test("code that cannot be loaded is replaced, and requested again when it is shown again", async () => {
  const { loads, Lazy } = late();
  {
    using mounted = mount(() => Lazy({}));
    await settled();
    loads[0]?.reject(new Error("unreachable"));
    await settled();
    expect(mounted.shown?.type).toBe(Failed);
  }
  using again = mount(() => Lazy({}));
  await settled();
  loads[1]?.resolve(Page);
  await settled();
  expect(again.shown?.type).toBe(Page);
});
