import type { ApiDocument, Operation } from "../openapi/read.ts";

/** An operation with its URL. */
export interface Listed extends Operation {
  readonly method: string;
  readonly path: string;
}

export type Group = readonly [tag: string, readonly Listed[]];

/** Returns the operations by their tag, in the order of the document. */
export function groupsOf({ paths }: ApiDocument): readonly Group[] {
  const groups = new Map<string, Listed[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const [tag = "Other"] = operation.tags;
      groups.set(tag, [...(groups.get(tag) ?? []), { ...operation, method: method.toUpperCase(), path }]);
    }
  }
  return [...groups];
}
