import { expect, test } from "bun:test";
import { ManualStorage, replaceGlobal } from "../testing/browser.ts";
import { mount, settled } from "../testing/mount.ts";
import { useKept } from "./kept.ts";
import { forgetSite, keyOf } from "./of-site.ts";

function replaceStorage(): Disposable {
  return replaceGlobal("sessionStorage", new ManualStorage());
}

test("state survives a reload, is shared by its components, and changes from its current value", async () => {
  using _storage = replaceStorage();
  using one = mount(() => useKept("shared", ["a"]));
  using two = mount(() => useKept("shared", ["a"]));
  await settled();
  one.shown[1]((now) => [...now, "b"]);
  two.shown[1]((now) => [...now, "c"]);
  await settled();
  expect([one.shown[0], two.shown[0]]).toEqual([
    ["a", "b", "c"],
    ["a", "b", "c"],
  ]);
  using reloaded = mount(() => useKept("shared", ["a"]));
  expect(reloaded.shown[0]).toEqual(["a", "b", "c"]);
});

test("the state from the start is not stored", async () => {
  using _storage = replaceStorage();
  using mounted = mount(() => useKept("stored", ""));
  for (const [text, keys] of [
    ["x", ["vitrine.stored"]],
    ["", []],
  ] as const) {
    mounted.shown[1](text);
    expect(Object.keys(sessionStorage)).toEqual([...keys]);
  }
});

test("a new site has no draft of a deleted one of its name, and other sites keep theirs", () => {
  using _storage = replaceStorage();
  for (const [site, what] of [
    ["blog", "token"],
    ["blog", "retention.last"],
    ["blog-2", "token"],
  ] as const) {
    using draft = mount(() => useKept(keyOf(site, what), ""));
    draft.shown[1]("typed");
  }
  forgetSite("blog");
  expect(Object.keys(sessionStorage)).toEqual(["vitrine.site.blog-2.token"]);
});
