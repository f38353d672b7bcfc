import type { Publisher } from "../../../api/types.ts";
import { type ClientSource, commandLine } from "../../../parts/command-line.ts";

/** The values that a workflow file depends on. */
export type WorkflowFacts = Pick<Publisher, "provider" | "workflow" | "ref" | "environment" | "permission"> & {
  readonly source: ClientSource;
  readonly site: string;
};

interface WorkflowFile {
  /** Its path in the repository. */
  readonly path: string;
  readonly text: string;
}

/** Returns the workflow that deploys to a site without a stored secret, as in docs/ci.md. */
export function workflowFile(facts: WorkflowFacts): WorkflowFile {
  switch (facts.provider) {
    case "github":
      return { path: `.github/workflows/${fileName(facts)}`, text: githubWorkflow(facts) };
    case "gitlab":
      return { path: ".gitlab-ci.yml", text: gitlabPipeline(facts) };
    case "forgejo":
      return { path: `.forgejo/workflows/${fileName(facts)}`, text: forgejoWorkflow(facts) };
  }
}

// --- internal ---

function fileName({ workflow, permission }: WorkflowFacts): string {
  return workflow ?? (permission === "preview" ? "preview.yml" : "deploy.yml");
}

/** Its trigger: pull requests, or the branch or tag of the publisher. */
function trigger({ permission, ref }: WorkflowFacts): string {
  if (permission === "preview") return "on: pull_request";
  const tag = ref?.startsWith("refs/tags/");
  const name = ref?.replace(/^refs\/(?:heads|tags)\//, "") ?? "main";
  return `on:\n  push:\n    ${tag ? "tags" : "branches"}: [${scalar(name)}]`;
}

/** Quotes what YAML would read as something else than this text, such as the tag `1.10` or `staging: EU`. */
function scalar(text: string): string {
  const isPlain = /^[a-z][\w./-]*$/i.test(text) && !/^(true|false|yes|no|on|off|y|n|null)$/i.test(text);
  return isPlain ? text : JSON.stringify(text);
}

function environmentLine({ environment }: WorkflowFacts, indent: string): string {
  return environment === null ? "" : `${indent}environment: ${scalar(environment)}\n`;
}

/** The steps of GitHub and Forgejo Actions. */
function steps({ source, site, permission }: WorkflowFacts): string {
  const preview = permission === "preview" ? ` --preview "${PULL_REQUEST}"` : "";
  return `    steps:
      - uses: actions/checkout@v5
      - name: Build
        run: npm ci && npm run build
      - name: Deploy
        run: ${commandLine(source, `deploy dist --site ${site}${preview}`)}
`;
}

/** An expression of GitHub and Forgejo Actions. */
const PULL_REQUEST = ["pr-$", "{{ github.event.number }}"].join("");

function githubWorkflow(facts: WorkflowFacts): string {
  return `name: ${facts.permission === "preview" ? "Preview" : "Deploy"}
${trigger(facts)}
permissions:
  contents: read
  id-token: write
jobs:
  deploy:
    runs-on: ubuntu-latest
${environmentLine(facts, "    ")}${steps(facts)}`;
}

function gitlabPipeline(facts: WorkflowFacts): string {
  const { source, site, permission, ref } = facts;
  const isPreview = permission === "preview";
  const branch = ref?.startsWith("refs/heads/") ? `"${ref.slice("refs/heads/".length)}"` : "$CI_DEFAULT_BRANCH";
  const rule = isPreview
    ? '$CI_PIPELINE_SOURCE == "merge_request_event"'
    : ref?.startsWith("refs/tags/")
      ? `$CI_COMMIT_TAG == "${ref.slice("refs/tags/".length)}"`
      : `$CI_COMMIT_BRANCH == ${branch}`;
  return `deploy:
  image: node:22
${environmentLine(facts, "  ")}  id_tokens:
    VITRINE_ID_TOKEN:
      aud: ${source.server}
  before_script:
    - npm ci && npm run build
  script:
    - ${commandLine(source, `deploy dist --site ${site}${isPreview ? " --preview" : ""}`)}
  rules:
    - if: ${rule}
`;
}

function forgejoWorkflow(facts: WorkflowFacts): string {
  return `name: ${facts.permission === "preview" ? "Preview" : "Deploy"}
${trigger(facts)}
enable-openid-connect: true
jobs:
  deploy:
    runs-on: docker
${environmentLine(facts, "    ")}    container:
      image: node:22
${steps(facts)}`;
}
