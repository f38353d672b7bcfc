import type { PreviewPolicy } from "../../../api/types.ts";

/** Who may see previews, in words. */
export function accessWords(access: PreviewPolicy["access"], isSitePrivate: boolean): string {
  if (access === "public") return "Everyone";
  if (access === "private") return "You, readers and shares";
  return isSitePrivate ? "Like the site: you, readers and shares" : "Like the site: everyone";
}
