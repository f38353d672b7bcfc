import { expect, test } from "bun:test";
import { ManualStorage, replaceGlobal } from "../testing/browser.ts";
import { mount, settled } from "../testing/mount.ts";
import { useKept } from "./kept.ts";
import { LineForm } from "./line-form.tsx";

/** A form with one line, in which `first` is typed and submitted. */
async function submitFirst() {
  const request = Promise.withResolvers<unknown>();
  const submitted: string[] = [];
  const open = () =>
    mount(() => {
      const [text, type] = useKept("form.line", "");
      const submit = (line: string) => {
        submitted.push(line);
        return request.promise.then(() => {});
      };
      return { text, type, form: LineForm({ label: "", action: "", kept: "form.line", maxLength: 100, submit }) };
    });
  const mounted = open();
  await settled();
  mounted.shown.type(" first ");
  await settled();
  mounted.shown.form.props.onSubmit(new Event("submit"));
  await settled();
  expect(submitted).toEqual(["first"]);
  return { mounted, open, request };
}

test.each<[what: string, typed: string | null, end: "resolve" | "reject", kept: string]>([
  ["is removed once it is sent", null, "resolve", ""],
  ["stays after a refusal", null, "reject", " first "],
  ["that was typed meanwhile stays", "second", "resolve", "second"],
])("the text of a form %s, also if the form was closed and opened again", async (_, typed, end, kept) => {
  for (const isReopened of [false, true]) {
    using _storage = replaceGlobal("sessionStorage", new ManualStorage());
    const { mounted, open, request } = await submitFirst();
    if (isReopened) mounted[Symbol.dispose]();
    using last = isReopened ? open() : mounted;
    await settled();
    if (typed !== null) last.shown.type(typed);
    await settled();
    request[end](new Error("refused"));
    await settled();
    expect(last.shown.text).toBe(kept);
  }
});

// An emoji takes two UTF-16 units.
test.each(["x", "🏷"])("a line may have as many %s as the limit, and not one more", (character) => {
  using _storage = replaceGlobal("sessionStorage", new ManualStorage());
  const form = { label: "", action: "", kept: "form.limit", maxLength: 100, submit: async () => {} };
  using mounted = mount(() => LineForm(form));
  const [row] = mounted.shown.props.children;
  const [field] = row.props.children;
  // A browser matches the whole text, with this flag.
  const pattern = new RegExp(`^(?:${field.props.pattern})$`, "v");
  expect([100, 101].map((length) => pattern.test(character.repeat(length)))).toEqual([true, false]);
});
