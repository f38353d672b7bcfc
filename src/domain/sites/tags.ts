import { deletedMeanwhile, fieldError } from "../errors.ts";
import { requireChangeableSite } from "../members/permission.ts";
import type { Caller } from "../model/caller.ts";
import type { WorkingRole } from "../model/role.ts";
import type { Site } from "../model/site.ts";
import type { Store } from "../ports/store.ts";

/** Maximum tags of a site. */
export const MAX_TAGS = 10;
/** In characters. */
export const MAX_TAG_LENGTH = 30;

/** Replaces a site's tags, and returns the site with them. For the owner. Throws `validation` for an invalid tag. */
export async function setTags(
  { store }: { readonly store: Pick<Store, "sites"> },
  caller: Caller,
  siteName: string,
  given: readonly string[],
): Promise<Site & { readonly role: WorkingRole }> {
  const tags = requireTags(given);
  const site = await requireChangeableSite(store, caller, siteName, "change_tags");
  if (!(await store.sites.setTags(site.id, tags))) throw deletedMeanwhile("site");
  return { ...site, role: site.role as WorkingRole, tags };
}

/**
 * Returns tags as they are stored: without duplicates, in composed Unicode, so that tags that look the same are the
 * same. Throws `validation` for one that is not lower case, or starts or ends with a space.
 */
function requireTags(given: readonly string[]): readonly string[] {
  const tags = given.map((text, index) => {
    const tag = text.normalize("NFC");
    const loc = ["body", "tags", String(index)];
    if (tag !== tag.toLowerCase()) throw fieldError(loc, `Give the tag in lower case: ${tag.toLowerCase()}`);
    if (tag !== tag.trim()) throw fieldError(loc, "Give the tag without spaces at its ends");
    return tag;
  });
  return [...new Set(tags)];
}
