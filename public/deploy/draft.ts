import { useState } from "preact/hooks";

/** What was filled in for a deployment that did not happen yet; it outlives a reload of the page. */
export interface Draft {
  readonly name: string;
  readonly makePrivate: boolean;
}

const KEY = "vitrine.draft";

/** `about` tells drafts apart: what was meant for one folder does not turn up with another. */
export function useDraft(about: string, start: Draft): [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState<Draft>(() => readDraft(about) ?? start);
  const change = (next: Draft) => {
    sessionStorage.setItem(KEY, JSON.stringify({ about, ...next }));
    setDraft(next);
  };
  return [draft, change];
}

export function clearDraft(): void {
  sessionStorage.removeItem(KEY);
}

function readDraft(about: string): Draft | null {
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as (Draft & { about: string }) | null;
  return kept?.about === about ? { name: kept.name, makePrivate: kept.makePrivate } : null;
}
