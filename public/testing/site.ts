import type { Site } from "../api/types.ts";

/** A site of the user's own that was published once. */
export function siteNamed(name: string, facts: Partial<Site> = {}): Site {
  return {
    name,
    created: "2026-01-01T00:00:00.000Z",
    last_deployed_at: "2026-01-01T00:00:00.000Z",
    private: false,
    role: "owner",
    size_bytes: 10,
    active_deployment: 1,
    total_views: 0,
    tags: [],
    expires_at: null,
    ...facts,
  };
}
