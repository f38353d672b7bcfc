import { expect, test } from "bun:test";
import { join } from "node:path";
import { type WorkflowFacts, workflowFile } from "./workflow-file.ts";

const FACTS: WorkflowFacts = {
  provider: "github",
  workflow: null,
  ref: "refs/heads/main",
  environment: null,
  permission: "publish",
  source: { server: "https://pages.example.org", isOffered: true },
  site: "my-site",
};

const guide = await Bun.file(join(import.meta.dir, "../../../../docs/ci.md")).text();

test.each(["github", "forgejo"] as const)("the workflow for %s is that of the guide", (provider) => {
  const { path, text } = workflowFile({ ...FACTS, provider });
  expect(guide).toContain(`\`\`\`yaml\n# ${path}\n${text}\`\`\``);
});

test("the pipeline for GitLab is that of the guide, with the configured branch", () => {
  const { path, text } = workflowFile({ ...FACTS, provider: "gitlab", ref: null });
  expect(guide).toContain(`\`\`\`yaml\n# ${path}\n${text}\`\`\``);
  const named = workflowFile({ ...FACTS, provider: "gitlab", ref: "refs/heads/live" }).text;
  expect(named).toContain('- if: $CI_COMMIT_BRANCH == "live"\n');
});

test.each<[Partial<WorkflowFacts>, path: string, parts: readonly string[]]>([
  [{ workflow: "site.yml" }, ".github/workflows/site.yml", ["    branches: [main]\n"]],
  [{ ref: "refs/tags/1.10" }, ".github/workflows/deploy.yml", ['    tags: ["1.10"]\n']],
  [{ ref: "refs/heads/on" }, ".github/workflows/deploy.yml", ['    branches: ["on"]\n']],
  [{ ref: null, environment: "staging: EU" }, ".github/workflows/deploy.yml", ['    environment: "staging: EU"\n']],
  [{ ref: "refs/tags/v1" }, ".github/workflows/deploy.yml", ["    tags: [v1]\n"]],
  [
    { ref: null, environment: "production" },
    ".github/workflows/deploy.yml",
    ["    environment: production\n    steps:"],
  ],
  [{ permission: "preview" }, ".github/workflows/preview.yml", ["on: pull_request\n", '--preview "pr-$']],
  [
    { provider: "forgejo", permission: "preview" },
    ".forgejo/workflows/preview.yml",
    ['--preview "pr-$', "{{ github.event.number }}"],
  ],
  [
    { provider: "gitlab", permission: "preview" },
    ".gitlab-ci.yml",
    ["dist --site my-site --preview\n", "merge_request_event"],
  ],
  [{ provider: "gitlab", ref: "refs/tags/v1" }, ".gitlab-ci.yml", ['$CI_COMMIT_TAG == "v1"']],
])("a publisher with %j has its workflow in %s", (facts, path, parts) => {
  const file = workflowFile({ ...FACTS, ...facts });
  expect(file.path).toBe(path);
  for (const part of parts) expect(file.text).toContain(part);
});
