import { expect, test } from "bun:test";
import { join } from "node:path";
import type { DeploymentReport, ReportFinding } from "../../api/schemas/types.ts";
import { temporaryFolder } from "../../testing/temporary-folder.ts";
import type { ExitStatus } from "../terminal/errors.ts";
import { runCli } from "../testing/run-cli.ts";
import { stubServer } from "../testing/stub-server.ts";
import { previewResult } from "./testing/preview-result.ts";

const folder = temporaryFolder();
await Bun.write(join(folder, "site/index.html"), "start");

function finding(severity: ReportFinding["severity"], isNew: boolean, file = "index.html"): ReportFinding {
  const code = { error: "broken_link", warning: "link_to_redirect", note: "not_checked" } as const;
  const base = { code: code[severity], severity, file, line: severity === "note" ? 0 : 3, new: isNew };
  return { ...base, message: "/x answers 404", target: "/x" };
}

function reportOf(findings: readonly ReportFinding[], rest: Partial<DeploymentReport> = {}): DeploymentReport {
  const number = (severity: string) => findings.filter((one) => one.severity === severity).length;
  const fresh = (severity: string) => findings.filter((one) => one.severity === severity && one.new).length;
  const all = { errors: number("error"), warnings: number("warning"), notes: number("note") };
  return {
    status: "ready",
    summary: { ...all, new_errors: fresh("error"), new_warnings: fresh("warning") },
    findings: [...findings],
    totals: { pages: 2, links: 7, bytes: 10, largest: [] },
    not_checked: number("note"),
    compared_to: 2,
    truncated: false,
    ...rest,
  };
}

const NEW_ERROR = reportOf([finding("error", true), finding("error", false)]);
const OLD_ERROR = reportOf([finding("error", false)]);
const NEW_WARNING = reportOf([finding("warning", true)]);
const OLD_WARNING = reportOf([finding("warning", false)]);
const UNLISTED_WARNING = { ...NEW_WARNING, findings: OLD_ERROR.findings, truncated: true };
const FAILED = reportOf([], { status: "failed" });
const { alias, alias_url, ...made } = { ...previewResult("pr-1"), alias: null, alias_url: null };
const deployed = { ...made, alias, alias_url };

interface Story {
  readonly args: readonly string[];
  readonly reports: readonly DeploymentReport[];
  readonly live?: number | null;
  readonly result?: object;
  readonly activation?: Response;
  readonly env?: Record<string, string>;
}

async function run({ args, reports, live = 2, result = deployed, activation, env = {} }: Story) {
  const sizes = { file_count: 1, size_bytes: 5, warnings: [] };
  const deployments = [3, 2, 1].map((number) => ({ deployment_number: number, active: number === live, ...sizes }));
  await using server = stubServer({
    "POST /deploy": Response.json(result, { status: 201 }),
    "GET /sites/demo/deployments": [Response.json(deployments), Response.json(deployments), Response.json([])],
    "GET /sites/demo/deployments/3/report": reports.map((report) => Response.json(report)),
    "POST /sites/demo/deployments/3/activate": activation ?? Response.json(deployments[0]),
  });
  const credentials = ["--site", "demo", "--server", server.url, "--token", "vts_x"];
  const ran = await runCli(["deploy", join(folder, "site"), ...args, ...credentials], env);
  const sent = server.requested.find(({ path }) => path === "/deploy")?.headers;
  const paths = server.requested.map(({ path }) => path);
  return {
    ...ran,
    isPreview: sent?.get("x-service-activate") === "no",
    isActivated: paths.some((path) => path.endsWith("/activate")),
    reads: paths.filter((path) => path.endsWith("/report")).length,
  };
}

const UNCHANGED = { ...deployed, active: true, unchanged: true };
const ONLY_PREVIEWS =
  "credential cannot deploy this site: a token with the permission preview can neither activate a deployment nor change access";

test.each<[what: string, story: Story, status: ExitStatus, isActivated: boolean]>([
  ["no finding", { args: ["--check"], reports: [reportOf([])] }, 0, true],
  ["old errors", { args: ["--check"], reports: [OLD_ERROR] }, 0, true],
  ["new errors", { args: ["--check"], reports: [NEW_ERROR] }, 3, false],
  ["old errors that count", { args: ["--check=all"], reports: [OLD_ERROR] }, 3, false],
  ["new warnings", { args: ["--check"], reports: [NEW_WARNING] }, 0, true],
  ["new warnings that count", { args: ["--check", "--check-warnings"], reports: [NEW_WARNING] }, 3, false],
  ["new warnings after a thousand old errors", { args: ["--check-warnings"], reports: [UNLISTED_WARNING] }, 3, false],
  ["old warnings", { args: ["--check-warnings"], reports: [OLD_WARNING] }, 0, true],
  ["old warnings that count", { args: ["--check=all", "--check-warnings"], reports: [OLD_WARNING] }, 3, false],
  ["a report that failed", { args: ["--check"], reports: [FAILED] }, 3, false],
  [
    "a report that takes a while",
    { args: ["--check"], reports: [{ ...FAILED, status: "pending" }, OLD_ERROR] },
    0,
    true,
  ],
  ["a preview without findings", { args: ["--check", "--preview", "pr-1"], reports: [OLD_ERROR] }, 0, false],
  ["a preview with new errors", { args: ["--check", "--preview", "pr-1"], reports: [NEW_ERROR] }, 3, false],
  ["nothing changed", { args: ["--check"], reports: [NEW_ERROR], result: UNCHANGED }, 0, false],
  [
    "nothing changed, and old errors count",
    { args: ["--check=all"], reports: [NEW_ERROR], result: UNCHANGED },
    3,
    false,
  ],
  ["another value", { args: ["--check=none"], reports: [] }, 2, false],
  [
    "an activation that fails",
    { args: ["--check"], reports: [OLD_ERROR], activation: new Response("{}", { status: 409 }) },
    1,
    true,
  ],
  [
    "a token for previews",
    { args: ["--check"], reports: [OLD_ERROR], activation: Response.json({ detail: ONLY_PREVIEWS }, { status: 403 }) },
    0,
    true,
  ],
])("deploy --check with %s", async (_, story, status, isActivated) => {
  const ran = await run(story);
  expect([ran.status, ran.isActivated]).toEqual([status, isActivated]);
  if (status !== 2) expect(ran.isPreview).toBe(true);
});

test("if another deployment went live meanwhile, the report is compared again", async () => {
  const held = await run({
    args: ["--check"],
    reports: [OLD_ERROR, reportOf([finding("error", true)], { compared_to: 1 })],
    live: 1,
  });
  expect([held.status, held.reads, held.isActivated]).toEqual([3, 2, false]);
  const fine = await run({ args: ["--check"], reports: [NEW_ERROR, { ...OLD_ERROR, compared_to: 1 }], live: 1 });
  expect([fine.status, fine.reads, fine.isActivated]).toEqual([0, 2, true]);
});

test("new findings are printed first, and how many files were not checked", async () => {
  const report = reportOf([
    finding("error", false, "a.html"),
    finding("error", true, "b\x1b.html"),
    finding("note", false),
  ]);
  const { stdout, stderr } = await run({ args: ["--check"], reports: [report] });
  expect(stdout).toBe("https://3--demo.example\n");
  expect(stderr).toContain(
    "Checked 2 pages with 7 links: 2 errors (1 new since deployment 2), 0 warnings, 1 note.\n" +
      "  new broken_link b�.html:3: /x answers 404\n" +
      "  broken_link a.html:3: /x answers 404\n" +
      "  not_checked index.html: /x answers 404\n" +
      "Not checked as a whole: 1 file.\n",
  );
  expect(stderr).toEndWith("error: deployment 3 of demo is held back: it has 1 new error\n");
  const json = await run({ args: ["--check", "--json"], reports: [report] });
  expect(JSON.parse(json.stdout)).toMatchObject({ active: false, report: { summary: { errors: 2 } } });
});

test("a GitHub job gets annotations, and the report in its summary", async () => {
  const summary = join(folder, "summary");
  const hostile = finding("error", true, "a,b:c%\n::`x`.html");
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary };
  const { stderr, stdout } = await run({
    args: ["--check"],
    reports: [reportOf([hostile, finding("warning", false)])],
    env,
  });
  const place = join(folder, "site").replaceAll(":", "%3A");
  expect(stderr).toContain(
    `::error file=${place}/a%2Cb%3Ac%25�%3A%3A\`x\`.html,line=3,title=broken_link::/x answers 404\n` +
      `::warning file=${place}/index.html,line=3,title=link_to_redirect::/x answers 404\n`,
  );
  expect(stdout).toBe("https://3--demo.example\n");
  expect(await Bun.file(summary).text()).toBe(
    "Deployed **demo**: preview 3 is at <https://3--demo.example>\n\n" +
      "Checked 2 pages with 7 links: 1 error (1 new since deployment 2), 1 warning, 0 notes.\n\n" +
      "- **new** `broken_link` `a,b:c%�::'x'.html:3`: `/x answers 404`\n" +
      "- `link_to_redirect` `index.html:3`: `/x answers 404`\n",
  );
});

test("a GitLab job gets a code quality report", async () => {
  const env = { GITLAB_CI: "true", CI_PROJECT_DIR: folder };
  await run({ args: ["--check"], reports: [reportOf([finding("error", true), finding("note", true)])], env });
  expect(await Bun.file(join(folder, "gl-code-quality-report.json")).json()).toEqual([
    {
      check_name: "broken_link",
      description: "/x answers 404",
      fingerprint: "broken_link index.html /x",
      severity: "major",
      location: { path: join(folder, "site/index.html"), lines: { begin: 3 } },
    },
  ]);
});
