import { expect, test } from "bun:test";
import type { Alias, Deployment } from "../../../api/types.ts";
import { countNote, type Filter, groupsOf, hasAlias, isShown, NO_FILTER, rowsOf } from "./groups.ts";

function deployment(number: number, facts: Partial<Deployment> = {}): Deployment {
  return {
    site_name: "blog",
    deployment_number: number,
    active: false,
    created_at: "2026-11-20T16:05:12.418Z",
    activated_at: "2026-11-20T16:05:12.418Z",
    expires_at: null,
    source: "session",
    actor: "ada",
    agent: null,
    file_count: 1,
    size_bytes: 1,
    url: `https://${number}--blog.example.com`,
    warnings: [],
    start_page_gone: false,
    message: null,
    commit: null,
    ref: null,
    ...facts,
  };
}

function alias(name: string, deployment_number: number): Alias {
  const at = "2026-11-20T16:05:12.418Z";
  return {
    name,
    url: `https://${name}--blog.example.com`,
    deployment_number,
    created_at: at,
    updated_at: at,
    expires_at: null,
  };
}

const DEPLOYMENTS = [
  deployment(5, { activated_at: null, message: "Draft", ref: "refs/heads/Redesign" }),
  deployment(4, { warnings: [{ file: "_redirects", line: 1, message: "no" }], commit: "9fceb02d" }),
  deployment(3, { active: true, actor: "GitHub Actions" }),
  deployment(2, { activated_at: null }),
  deployment(1),
];
const ROWS = rowsOf(DEPLOYMENTS, [alias("pr-2", 2), alias("beta", 2), alias("stable", 1)], [1]);
const numbers = (rows: typeof ROWS) => rows.map(({ deployment }) => deployment.deployment_number);

test("deployments are live, previews or earlier, each newest first", () => {
  const { live, previews, earlier } = groupsOf(ROWS);
  expect([live, previews, earlier].map(numbers)).toEqual([[3], [5, 2], [4, 1]]);
});

test("a live deployment that was never activated is no preview", () => {
  const { live, previews } = groupsOf(rowsOf([deployment(1, { active: true, activated_at: null })], [], []));
  expect([live.length, previews.length]).toEqual([1, 0]);
});

test("one deployment is live, even if an older page still has the previous one", () => {
  const stale = [deployment(2, { active: true }), deployment(1, { active: true })];
  const { live, earlier } = groupsOf(rowsOf(stale, [], []));
  expect([live, earlier].map(numbers)).toEqual([[2], [1]]);
});

test("a row has the aliases that point to its deployment, and whether it is pinned", () => {
  expect(ROWS.map((row) => row.aliases.map(({ name }) => name))).toEqual([[], [], [], ["pr-2", "beta"], ["stable"]]);
  expect(ROWS.map((row) => row.isPinned)).toEqual([false, false, false, false, true]);
});

test("the column of aliases is there if a row has one, or expires", () => {
  const [preview] = rowsOf([deployment(5, { activated_at: null })], [], []);
  const [expiring] = rowsOf([deployment(5, { activated_at: null, expires_at: "2026-12-01T00:00:00.000Z" })], [], []);
  const [named] = rowsOf([deployment(2)], [alias("beta", 2)], []);
  expect([preview, expiring, named].map((row) => row && hasAlias(row))).toEqual([false, true, true]);
});

test("a group whose older rows are not loaded says that its number is of the newest", () => {
  expect([countNote(1200, true), countNote(19, false)]).toEqual(["1,200", "newest 19"]);
});

test.each<[Partial<Filter>, number[]]>([
  [{}, [5, 4, 3, 2, 1]],
  [{ show: "previews" }, [5, 2]],
  [{ show: "published" }, [4, 3, 1]],
  [{ withWarnings: true }, [4]],
  [{ pinned: true }, [1]],
  [{ text: "draft" }, [5]],
  [{ text: " redesign " }, [5]],
  [{ text: "9FCE" }, [4]],
  [{ text: "PR-2" }, [2]],
  [{ text: "#3" }, [3]],
  [{ text: "github" }, [3]],
  [{ text: "ada", show: "previews" }, [5, 2]],
  [{ text: "nothing" }, []],
])("the filter %j shows %j", (filter, shown) => {
  expect(numbers(ROWS.filter((row) => isShown(row, { ...NO_FILTER, ...filter })))).toEqual(shown);
});
