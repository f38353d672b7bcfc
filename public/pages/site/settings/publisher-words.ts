import type { Publisher } from "../../../api/types.ts";
import { shortRef } from "../deployments/words.ts";

interface Provider {
  readonly name: string;
  /** An example of a repository. */
  readonly repository: string;
  /** An issuer that has to be given, as an example; null where there is a usual one. */
  readonly issuer: string | null;
}

export const PROVIDERS: Readonly<Record<Publisher["provider"], Provider>> = {
  github: { name: "GitHub", repository: "octo/blog", issuer: null },
  gitlab: { name: "GitLab", repository: "group/blog", issuer: null },
  forgejo: { name: "Forgejo", repository: "octo/blog", issuer: "https://forgejo.example.org/api/actions" },
};

/** What a run has to match: `GitHub, workflow deploy.yml, environment production`. */
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

/** A branch or tag as the API takes it: in full. */
export function fullRef(text: string): string | null {
  const ref = text.trim();
  if (ref === "") return null;
  return ref.startsWith("refs/") ? ref : `refs/heads/${ref}`;
}
