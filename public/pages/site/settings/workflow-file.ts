import type { Publisher } from "../../../api/types.ts";

/** The values that a workflow file depends on. */
export type WorkflowFacts = Pick<Publisher, "provider" | "workflow" | "ref" | "environment" | "permission"> & {
  /** The server's base URL. */
  readonly server: string;
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

/** The steps of GitHub and Forgejo Actions, up to the command of the last one. */
function stepsToDeploy({ server }: WorkflowFacts): string {
  return `    steps:
      - uses: actions/checkout@v5
      - name: Build
        run: npm ci && npm run build
      - name: Deploy
        env:
          VITRINE_SERVER: ${server}`;
}

/** An expression of GitHub and Forgejo Actions. */
const PULL_REQUEST = ["pr-$", "{{ github.event.number }}"].join("");

function githubWorkflow(facts: WorkflowFacts): string {
  const { site, permission } = facts;
  const isPreview = permission === "preview";
  const alias = isPreview ? `            --header "X-Service-Alias: ${PULL_REQUEST}" \\\n` : "";
  return `name: ${isPreview ? "Preview" : "Deploy"}
${trigger(facts)}
permissions:
  contents: read
  id-token: write
jobs:
  deploy:
    runs-on: ubuntu-latest
${environmentLine(facts, "    ")}${stepsToDeploy(facts)}
        run: |
          id_token=$(curl --fail --silent --show-error --header "Authorization: Bearer $ACTIONS_ID_TOKEN_REQUEST_TOKEN" \\
            "$ACTIONS_ID_TOKEN_REQUEST_URL&audience=$VITRINE_SERVER" | jq --raw-output .value)
          token=$(curl --fail-with-body --silent --show-error "$VITRINE_SERVER/auth/token" \\
            --data grant_type=urn:ietf:params:oauth:grant-type:token-exchange \\
            --data subject_token_type=urn:ietf:params:oauth:token-type:id_token \\
            --data subject_token="$id_token" --data scope=site:${site} | jq --raw-output .access_token)
          (cd dist && zip -qr ../site.zip .)
          curl --fail-with-body --silent --show-error "$VITRINE_SERVER/deploy" \\
            --header "Authorization: Bearer $token" \\
            --header "X-Service-Site: ${site}" \\
${alias}            --form file=@site.zip
`;
}

function gitlabPipeline(facts: WorkflowFacts): string {
  const { server, site, permission, ref } = facts;
  const isPreview = permission === "preview";
  const branch = ref?.startsWith("refs/heads/") ? `"${ref.slice("refs/heads/".length)}"` : "$CI_DEFAULT_BRANCH";
  const rule = isPreview
    ? '$CI_PIPELINE_SOURCE == "merge_request_event"'
    : ref?.startsWith("refs/tags/")
      ? `$CI_COMMIT_TAG == "${ref.slice("refs/tags/".length)}"`
      : `$CI_COMMIT_BRANCH == ${branch}`;
  return `deploy:
  image: registry.example.org/node-with-vitrine
${environmentLine(facts, "  ")}  variables:
    VITRINE_SERVER: ${server}
  id_tokens:
    VITRINE_ID_TOKEN:
      aud: ${server}
  before_script:
    - npm ci && npm run build
  script:
    - vitrine deploy dist --site ${site}${isPreview ? " --preview" : ""}
  rules:
    - if: ${rule}
`;
}

function forgejoWorkflow(facts: WorkflowFacts): string {
  const { site, permission } = facts;
  const isPreview = permission === "preview";
  const preview = isPreview ? ` --preview "${PULL_REQUEST}"` : "";
  return `name: ${isPreview ? "Preview" : "Deploy"}
${trigger(facts)}
enable-openid-connect: true
jobs:
  deploy:
    runs-on: docker
${environmentLine(facts, "    ")}    container:
      image: registry.example.org/node-with-vitrine
${stepsToDeploy(facts)}
        run: vitrine deploy dist --site ${site}${preview}
`;
}
