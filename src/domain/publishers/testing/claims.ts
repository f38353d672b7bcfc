/** The claims of a push, as GitHub documents them. */
export const GITHUB_PUSH = {
  sub: "repo:octo@65/blog@74:ref:refs/heads/main",
  repository: "octo/blog",
  repository_id: "74",
  repository_owner: "octo",
  repository_owner_id: "65",
  workflow: "Deploy",
  workflow_ref: "octo/blog/.github/workflows/deploy.yml@refs/heads/main",
  job_workflow_ref: "octo/blog/.github/workflows/deploy.yml@refs/heads/main",
  ref: "refs/heads/main",
  ref_type: "branch",
  ref_protected: "true",
  event_name: "push",
  actor: "hubot",
  sha: "9fceb02d0ae598e95dc970b74767f19372d61af8",
} as const;
