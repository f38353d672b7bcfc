import { Type as t } from "@sinclair/typebox";
import { ACCESS, PUBLIC_SITES, type SitePolicy } from "../../domain/model/site-policy.ts";
import type { UploadLimits } from "../../domain/ports/archive.ts";
import type { Links } from "./links.ts";
import { namedSchema, oneOf } from "./values.ts";

export const HostingCapabilityResponse = namedSchema(
  "HostingCapabilityResponse",
  {
    site_url: t.String({ description: "URL of a site; {site} stands for its name" }),
    default_access: oneOf(ACCESS, { description: "Of a new site whose deployment does not choose one" }),
    public_sites: oneOf(PUBLIC_SITES, { description: "Who may make sites public: everybody, nobody, or operators" }),
    limits: t.Object({
      archive_bytes: t.Integer(),
      site_bytes: t.Integer(),
      file_bytes: t.Integer(),
      files: t.Integer(),
    }),
  },
  {
    site_url: "https://{site}.example.com",
    default_access: "public",
    public_sites: "on",
    limits: {
      archive_bytes: 536_870_912,
      site_bytes: 2_147_483_648,
      file_bytes: 268_435_456,
      files: 50_000,
    },
  },
);

export function hostingCapabilityResponse(
  links: Links,
  limits: UploadLimits,
  { defaultAccess, publicSites }: SitePolicy,
): typeof HostingCapabilityResponse.static {
  return {
    site_url: links.site("{site}"),
    default_access: defaultAccess,
    public_sites: publicSites,
    limits: {
      archive_bytes: limits.archiveBytes,
      site_bytes: limits.siteBytes,
      file_bytes: limits.fileBytes,
      files: limits.files,
    },
  };
}
