import { expect, test } from "bun:test";
import type { Retention } from "../../../api/types.ts";
import { ManualStorage, replaceGlobal } from "../../../testing/browser.ts";
import { mount, settled } from "../../../testing/mount.ts";
import { useDraft } from "./retention-draft.ts";

function saved(keep_last: number): Retention {
  return {
    policy: { keep_last, keep_days: null, grace_days: null },
    effective: { keep_last, keep_days: null, grace_days: 7 },
    pinned: [],
  };
}

type Draft = ReturnType<typeof useDraft>;

test.each<[what: string, act: (draft: Draft) => void, last: string]>([
  ["without a draft the newest saved rule is shown", () => {}, "9"],
  ["a typed rule stays", (draft) => draft.type("last", "8", false), "8"],
  ["a rule that was typed and restored is no change", (draft) => draft.type("last", "7", false), "9"],
  ["a rule that is restored while another is being saved stays", (draft) => draft.type("last", "7", true), "7"],
  ["a rule that is no number stays", (draft) => draft.type("last", "many", false), "many"],
])("after a reload %s", async (_, act, last) => {
  using _storage = replaceGlobal("sessionStorage", new ManualStorage());
  {
    using mounted = mount(() => useDraft("blog", saved(7)));
    act(mounted.shown);
  }
  using mounted = mount(() => useDraft("blog", saved(9)));
  expect(mounted.shown.last).toBe(last);
  expect(mounted.shown.wanted?.keep_last).toBe(last === "many" ? undefined : Number(last));
});

test("once a rule is saved its draft is forgotten, but not what was typed meanwhile", async () => {
  using _storage = replaceGlobal("sessionStorage", new ManualStorage());
  using mounted = mount(() => useDraft("blog", saved(7)));
  await settled();
  mounted.shown.type("last", "8", false);
  mounted.shown.type("days", "30", false);
  await settled();
  const sent = mounted.shown;
  expect(sent.wanted).toEqual({ keep_last: 8, keep_days: 30, grace_days: null });
  sent.type("days", "31", true);
  sent.forget();
  await settled();
  expect([mounted.shown.last, mounted.shown.days]).toEqual(["7", "31"]);
});
