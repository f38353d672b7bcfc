import { expect, test } from "bun:test";
import { TOOLS } from "../mcp/tools.ts";
import { routes } from "../routes/routes.ts";
import { openTestApi } from "../testing/test-api.ts";

async function guideOf(flags: Record<string, string> = {}): Promise<string> {
  await using api = await openTestApi({ "max-archive-bytes": "7MiB", ...flags });
  const response = await api.call("GET", "/llms.txt");
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  return response.text();
}

/** The document has two names for the parameter of a site. */
const oneName = (text: string) => text.replaceAll("{site_name}", "{name}");
const openApiPath = (path: string) => path.replaceAll(/:(\w+)/g, "{$1}");

test("the guide for agents names every operation that is not for operators, every tool, and the limits", async () => {
  const guide = oneName(await guideOf());
  expect(guide).toStartWith("# Vitrine at http://localhost:8080\n\n> ");
  const documented = routes.filter(({ summary, tag }) => summary !== null && tag !== "Operators" && tag !== "Agents");
  for (const { method, path, summary } of documented) {
    expect(guide).toMatch(new RegExp(`^- ${method} ${RegExp.escape(openApiPath(path))}( \\*)?: `, "m"));
    expect(guide).toContain(summary ?? "");
  }
  for (const { name } of TOOLS) expect(guide).toContain(`- \`${name}\`: `);
  expect(guide).toContain("- `X-Service-Site-Expires`: ");
  expect(guide).toContain("7 MiB for an archive");
  expect(guide).not.toContain("/admin/");
});

test("every request that the guide describes exists", async () => {
  const guide = await guideOf();
  const known = new Set(routes.map(({ method, path }) => `${method} ${openApiPath(path)}`));
  const described = [...guide.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/[^`\s]*)`/g)].map(
    ([, method, path]) => `${method} ${path}`,
  );
  expect(described.length).toBeGreaterThan(3);
  expect(described.filter((request) => !known.has(request))).toEqual([]);
});

test("the guide looks for a deployment's warnings where they are", async () => {
  expect(await guideOf()).toMatch(/`GET \/sites\/\{name\}\/deployments` says in `warnings` what looks wrong/);
});

test("what is switched off is not in the guide", async () => {
  const guide = await guideOf({ mcp: "off", downloads: "off" });
  expect(guide).not.toMatch(/\/mcp|vitrine\.tgz \w/);
});
