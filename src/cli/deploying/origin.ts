import type { DeploymentOrigin } from "../../domain/deployments/deployment.ts";

export interface OriginOptions {
  readonly message?: string;
  readonly commit?: string;
  readonly ref?: string;
}

/** Returns where a deployment comes from: as the options say, else as the variables of GitHub, Forgejo and GitLab do. */
export function originOf(
  { message, commit, ref }: OriginOptions,
  env: Readonly<Record<string, string | undefined>>,
): DeploymentOrigin {
  return {
    message: message ?? null,
    commit: commit ?? (env.GITHUB_SHA || env.CI_COMMIT_SHA || null),
    ref: ref ?? (env.GITHUB_REF || env.CI_COMMIT_REF_NAME || null),
  };
}
