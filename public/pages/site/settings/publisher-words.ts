import type { Publisher } from "../../../api/types.ts";
import { shortRef } from "../deployments/words.ts";

interface Provider {
  readonly name: string;
  /** An example of a repository. */
  readonly repository: string;
  /** An example of an issuer that must be given; null if there is a default. */
  readonly issuer: string | null;
}

export const PROVIDERS: Readonly<Record<Publisher["provider"], Provider>> = {
  github: { name: "GitHub", repository: "octo/blog", issuer: null },
  gitlab: { name: "GitLab", repository: "group/blog", issuer: null },
  forgejo: { name: "Forgejo", repository: "octo/blog", issuer: "https://forgejo.example.org/api/actions" },
};

/** Describes the conditions for a run: `GitHub, workflow deploy.yml, environment production`. */
export function conditionsOf(publisher: Publisher): string {
  const { provider, workflow, ref, environment } = publisher;
  return [
    PROVIDERS[provider].name,
    workflow && `workflow ${workflow}`,
    ref && `${ref.startsWith("refs/tags/") ? "tag" : "branch"} ${shortRef(ref)}`,
    environment && `environment ${environment}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Returns the full name of a branch or tag, as in the API. */
export function fullRef(text: string): string | null {
  const ref = text.trim();
  if (ref === "") return null;
  return ref.startsWith("refs/") ? ref : `refs/heads/${ref}`;
}
