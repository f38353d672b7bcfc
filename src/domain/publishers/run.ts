import type { PublisherProvider, RepositoryIds } from "../model/publisher.ts";
import type { Claims } from "../ports/id-tokens.ts";
import { isPrintable } from "../printable.ts";

/** A CI run as described by its ID token; a claim that is missing, or no printable text, is null. */
export interface Run {
  readonly repository: string | null;
  readonly ids: RepositoryIds | null;
  /** The name of the workflow's file. */
  readonly workflow: string | null;
  /** In full, such as `refs/heads/main`. */
  readonly ref: string | null;
  readonly isRefProtected: boolean;
  readonly environment: string | null;
  readonly event: string | null;
}

/** The names of the claims at a provider, for messages and for `runOf`. */
interface ClaimNames {
  readonly repository: string;
  readonly repositoryId: string;
  readonly ownerId: string;
  /** The workflow that was started, even if its jobs come from a reusable one. */
  readonly workflow: string;
  readonly ref: string;
  readonly event: string;
}

const ACTIONS: ClaimNames = {
  repository: "repository",
  repositoryId: "repository_id",
  ownerId: "repository_owner_id",
  workflow: "workflow_ref",
  ref: "ref",
  event: "event_name",
};

export const CLAIM_NAMES: Readonly<Record<PublisherProvider, ClaimNames>> = {
  github: ACTIONS,
  forgejo: ACTIONS,
  gitlab: {
    repository: "project_path",
    repositoryId: "project_id",
    ownerId: "namespace_id",
    workflow: "ci_config_ref_uri",
    ref: "ref_path",
    event: "pipeline_source",
  },
};

/** Returns the run that an ID token describes. Never reads `sub`, whose format changes. */
export function runOf(provider: PublisherProvider, claims: Claims): Run {
  const names = CLAIM_NAMES[provider];
  const repositoryId = textOf(claims[names.repositoryId]);
  const ownerId = textOf(claims[names.ownerId]);
  return {
    repository: textOf(claims[names.repository]),
    ids: repositoryId !== null && ownerId !== null ? { repositoryId, ownerId } : null,
    workflow: fileName(textOf(claims[names.workflow])),
    ref: textOf(claims[names.ref]),
    isRefProtected: textOf(claims.ref_protected) === "true",
    environment: textOf(claims.environment),
    event: textOf(claims[names.event]),
  };
}

// --- internal ---

/** Longer than any claim that is used here. */
const MAX_CLAIM_LENGTH = 1000;

/** Some providers write numbers and booleans as text. */
function textOf(value: unknown): string | null {
  if (typeof value === "boolean" || Number.isSafeInteger(value)) return String(value);
  const isUsable = typeof value === "string" && value !== "" && value.length <= MAX_CLAIM_LENGTH && isPrintable(value);
  return isUsable ? value : null;
}

/** `owner/repository/.github/workflows/deploy.yml@refs/heads/main` is `deploy.yml`. A ref may hold `@` and slashes. */
function fileName(workflow: string | null): string | null {
  const [path] = workflow?.split("@refs/") ?? [];
  return path?.split("/").at(-1) || null;
}
