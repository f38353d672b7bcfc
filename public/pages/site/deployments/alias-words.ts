import { aliasLabel } from "../../../../src/domain/deployments/alias-label.ts";

/** Returns the alias that the server makes of a name; null for an invalid name, and for one that it shortens. */
export function labelOf(name: string, site: string): string | null {
  let isShortened = false;
  const label = aliasLabel(name, site, () => {
    isShortened = true;
    return "";
  });
  return isShortened ? null : label;
}
