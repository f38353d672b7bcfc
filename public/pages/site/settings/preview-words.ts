import type { PreviewPolicy } from "../../../api/types.ts";

/** Describes who may see previews. */
export function accessWords(access: PreviewPolicy["access"], isSitePrivate: boolean): string {
  if (access === "public") return "Everyone";
  if (access === "private") return "You, readers and shares";
  return isSitePrivate ? "Like the site: you, readers and shares" : "Like the site: everyone";
}
