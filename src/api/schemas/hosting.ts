import { Type as t } from "@sinclair/typebox";
import type { UploadLimits } from "../../domain/ports/archive.ts";
import type { Links } from "./links.ts";

export const HostingCapabilityResponse = t.Object(
  {
    site_url: t.String({ description: "URL of a site; {site} stands for its name" }),
    limits: t.Object({
      archive_bytes: t.Integer(),
      site_bytes: t.Integer(),
      file_bytes: t.Integer(),
      files: t.Integer(),
    }),
  },
  {
    title: "HostingCapabilityResponse",
    examples: [
      {
        site_url: "https://{site}.example.com",
        limits: {
          archive_bytes: 536_870_912,
          site_bytes: 2_147_483_648,
          file_bytes: 268_435_456,
          files: 50_000,
        },
      },
    ],
  },
);

export function hostingCapabilityResponse(links: Links, limits: UploadLimits): typeof HostingCapabilityResponse.static {
  return {
    site_url: links.site("{site}"),
    limits: {
      archive_bytes: limits.archiveBytes,
      site_bytes: limits.siteBytes,
      file_bytes: limits.fileBytes,
      files: limits.files,
    },
  };
}
