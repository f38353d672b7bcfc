import { describe, expect, test } from "bun:test";
import type { Publisher } from "../model/publisher.ts";
import type { Claims } from "../ports/id-tokens.ts";
import { matchPublishers } from "./match.ts";
import { GITHUB_PUSH } from "./testing/claims.ts";

const ISSUER = "https://ci.example";

const publisher = (wanted: Partial<Publisher> = {}): Publisher => ({
  id: "p",
  siteId: 1,
  makerId: 1,
  makerRole: "owner",
  provider: "github",
  issuer: ISSUER,
  repository: "octo/blog",
  workflow: "deploy.yml",
  ref: "refs/heads/main",
  environment: null,
  permission: "publish",
  createdAt: 0,
  pinned: null,
  lastUsedAt: null,
  ...wanted,
});

const PUSH: Claims = GITHUB_PUSH;

const GITLAB_PUSH: Claims = {
  sub: "project_path:group/sub/blog:ref_type:branch:ref:main",
  namespace_id: "72",
  namespace_path: "group/sub",
  project_id: "20",
  project_path: "group/sub/blog",
  pipeline_source: "push",
  ref: "main",
  ref_type: "branch",
  ref_path: "refs/heads/main",
  ref_protected: "true",
  environment: "production",
  environment_protected: "false",
  ci_config_ref_uri: "gitlab.com/group/sub/blog//.gitlab-ci.yml@refs/heads/main",
};
const gitlab = (wanted: Partial<Publisher> = {}) =>
  publisher({ provider: "gitlab", repository: "group/sub/blog", workflow: ".gitlab-ci.yml", ...wanted });

const FORGEJO_PUSH: Claims = {
  ...PUSH,
  sub: "repo:octo-65/blog-74:ref:refs/heads/main",
  repository_id: 74,
  repository_owner_id: 65,
  ref_protected: true,
  workflow_ref: "octo/blog/.forgejo/workflows/deploy.yml@refs/heads/main",
};

const TAG = {
  ref: "refs/tags/v1@2",
  ref_type: "tag",
  workflow_ref: "octo/blog/.github/workflows/deploy.yml@refs/tags/v1@2",
};
const PULL_REQUEST = {
  ref: "refs/pull/7/merge",
  event_name: "pull_request",
  head_ref: "feature",
  base_ref: "main",
  workflow_ref: "octo/blog/.github/workflows/deploy.yml@refs/pull/7/merge",
};

/** Returns `fits`, `unknown`, or the names of the claims that differ. */
function outcome(wanted: readonly Publisher[], claims: Claims, issuer = ISSUER): string {
  const match = matchPublishers(wanted, issuer, claims);
  return match.kind === "differs" ? match.differences.map(({ claim }) => claim).join(" ") : match.kind;
}

describe("a run", () => {
  test.each<[string, Publisher, Claims, string]>([
    ["GitHub: a push", publisher(), PUSH, "fits"],
    ["GitHub: a push, by ref alone", publisher({ workflow: null }), PUSH, "fits"],
    ["GitHub: written in other letters", publisher({ repository: "Octo/Blog" }), PUSH, "fits"],
    ["GitHub: a tag with an @", publisher({ ref: "refs/tags/v1@2" }), { ...PUSH, ...TAG }, "fits"],
    ["GitHub: a tag where a branch is asked for", publisher(), { ...PUSH, ...TAG }, "ref"],
    ["GitHub: a pull request", publisher(), { ...PUSH, ...PULL_REQUEST }, "ref"],
    [
      "GitHub: a pull request, for previews",
      publisher({ permission: "preview", ref: null }),
      { ...PUSH, ...PULL_REQUEST },
      "fits",
    ],
    [
      "GitHub: a fork",
      publisher({ permission: "preview", ref: null }),
      { ...PUSH, ...PULL_REQUEST, repository: "eve/blog", repository_id: "99", repository_owner_id: "98" },
      "unknown",
    ],
    ["GitHub: pull_request_target", publisher(), { ...PUSH, event_name: "pull_request_target" }, "event_name"],
    [
      "GitHub: pull_request_target in an environment",
      publisher({ ref: null, environment: "production" }),
      { ...PUSH, event_name: "pull_request_target", environment: "production" },
      "event_name",
    ],
    [
      "GitHub: pull_request_target, for previews",
      publisher({ permission: "preview" }),
      { ...PUSH, event_name: "pull_request_target" },
      "fits",
    ],
    [
      "GitHub: an environment",
      publisher({ ref: null, environment: "production" }),
      { ...PUSH, environment: "production" },
      "fits",
    ],
    ["GitHub: no environment", publisher({ environment: "production" }), PUSH, "environment"],
    [
      "GitHub: another environment",
      publisher({ environment: "production" }),
      { ...PUSH, environment: "staging" },
      "environment",
    ],
    [
      "GitHub: a reusable workflow of another repository, by the workflow that calls it",
      publisher(),
      { ...PUSH, job_workflow_ref: "octo/shared/.github/workflows/pages.yml@refs/heads/main" },
      "fits",
    ],
    [
      "GitHub: the reusable workflow's own name does not count",
      publisher({ workflow: "pages.yml" }),
      { ...PUSH, job_workflow_ref: "octo/shared/.github/workflows/pages.yml@refs/heads/main" },
      "workflow_ref",
    ],
    ["GitHub: a workflow whose ref holds the name", publisher({ workflow: "main" }), PUSH, "workflow_ref"],
    [
      "GitHub: an id that would not show as it is",
      publisher(),
      { ...PUSH, repository_id: "74\u202e" },
      "repository_id, repository_owner_id",
    ],
    ["GitLab: a push", gitlab(), GITLAB_PUSH, "fits"],
    ["GitLab: an environment", gitlab({ ref: null, environment: "production" }), GITLAB_PUSH, "fits"],
    ["GitLab: a branch that is not protected", gitlab(), { ...GITLAB_PUSH, ref_protected: "false" }, "ref_protected"],
    [
      "GitLab: a merge request, for previews",
      gitlab({ ref: null, permission: "preview" }),
      {
        ...GITLAB_PUSH,
        pipeline_source: "merge_request_event",
        ref: "feature",
        ref_path: "refs/merge-requests/7/head",
        ref_protected: "false",
      },
      "fits",
    ],
    [
      "GitLab: a tag",
      gitlab({ ref: "refs/tags/v1" }),
      { ...GITLAB_PUSH, ref: "v1", ref_type: "tag", ref_path: "refs/tags/v1" },
      "fits",
    ],
    ["GitLab: the short ref does not count", gitlab({ ref: "main" }), GITLAB_PUSH, "ref_path"],
    ["Forgejo: a push, with numbers for ids", publisher({ provider: "forgejo" }), FORGEJO_PUSH, "fits"],
    [
      "Forgejo: of a version without ids",
      publisher({ provider: "forgejo" }),
      { ...FORGEJO_PUSH, repository_id: undefined },
      "repository_id, repository_owner_id",
    ],
  ])("%s", (_what, wanted, claims, expected) => {
    expect(outcome([wanted], claims)).toBe(expected);
  });

  test("is refused for a difference in any claim, whatever sub says", () => {
    const pinned = publisher({ environment: "production", pinned: { repositoryId: "74", ownerId: "65" } });
    const run = { ...PUSH, environment: "production" };
    expect(outcome([pinned], run)).toBe("fits");
    expect(outcome([pinned], { ...run, sub: "repo:anybody/anything" })).toBe("fits");
    for (const [claim, value] of Object.entries({
      repository_id: "75",
      repository_owner_id: "66",
      workflow_ref: "octo/blog/.github/workflows/other.yml@refs/heads/main",
      ref: "refs/heads/dev",
      environment: "staging",
      event_name: "pull_request_target",
    })) {
      expect(outcome([pinned], { ...run, [claim]: value })).toBe(claim);
    }
    expect(outcome([pinned], run, "https://other.example")).toBe("unknown");
  });

  test.each([
    ["the right name in a list", { repository: ["octo/blog"] }],
    ["an object for the ref", { ref: { toString: "refs/heads/main" } }],
    ["an empty id", { repository_id: "" }],
    ["null for the owner", { repository_owner_id: null }],
  ])("with %s is refused", (_what, claims) => {
    expect(outcome([publisher()], { ...PUSH, ...claims })).not.toBe("fits");
  });
});

describe("a publisher that was used", () => {
  const pinned = publisher({ pinned: { repositoryId: "74", ownerId: "65" } });

  test("accepts a repository that was renamed", () => {
    expect(outcome([pinned], { ...PUSH, repository: "octo/journal" })).toBe("fits");
  });

  test.each([
    ["github", pinned, { ...PUSH, repository: undefined }, "repository"],
    ["github", pinned, { ...PUSH, repository: ["octo/blog"] }, "repository"],
    [
      "gitlab",
      gitlab({ pinned: { repositoryId: "20", ownerId: "72" } }),
      { ...GITLAB_PUSH, project_path: "" },
      "project_path",
    ],
  ])("of %s refuses the right ids without the name of the repository", (_provider, wanted, claims, claim) => {
    expect(outcome([wanted], claims)).toBe(claim);
  });

  test("refuses the same name with another id, and reveals nothing else", () => {
    const squatter = { ...PUSH, repository_id: "99", repository_owner_id: "98", ref: "refs/heads/dev" };
    expect(outcome([pinned], squatter)).toBe("repository_id repository_owner_id");
  });

  test("refuses a repository with another owner", () => {
    expect(outcome([pinned], { ...PUSH, repository_owner_id: "66" })).toBe("repository_owner_id");
  });
});

describe("of several publishers", () => {
  const preview = publisher({ id: "preview", permission: "preview", ref: null, workflow: null });

  test("the one that may publish is used if both match", () => {
    expect(matchPublishers([preview, publisher()], ISSUER, PUSH)).toMatchObject({ publisher: { id: "p" } });
    const dev = { ...PUSH, ref: "refs/heads/dev" };
    expect(matchPublishers([preview, publisher()], ISSUER, dev)).toMatchObject({ publisher: { id: "preview" } });
  });

  test("the closest one is reported", () => {
    const far = publisher({ workflow: "other.yml", ref: "refs/heads/other" });
    const match = matchPublishers([far, publisher()], ISSUER, { ...PUSH, ref: "refs/heads/dev" });
    const why = '"refs/heads/dev", but the publisher asks for "refs/heads/main"';
    expect(match).toEqual({ kind: "differs", differences: [{ claim: "ref", why }] });
  });
});
