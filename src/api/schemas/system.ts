import { Type as t } from "@sinclair/typebox";

export const HealthResponse = t.Object(
  { status: t.Literal("ok") },
  { title: "HealthResponse", examples: [{ status: "ok" }] },
);

export const UnhealthyResponse = t.Object(
  { status: t.Literal("unavailable"), detail: t.String() },
  {
    title: "UnhealthyResponse",
    examples: [{ status: "unavailable", detail: "the database cannot be written: check the data folder" }],
  },
);

export const ReadyResponse = t.Object(
  { status: t.Literal("ready") },
  { title: "ReadyResponse", examples: [{ status: "ready" }] },
);

export const NotReadyResponse = t.Object(
  { status: t.Union([t.Literal("draining"), t.Literal("isolated")]), detail: t.String() },
  { title: "NotReadyResponse", examples: [{ status: "draining", detail: "the server is stopping" }] },
);

export const VersionResponse = t.Object(
  { version: t.String(), commit: t.String() },
  { title: "VersionResponse", examples: [{ version: "0.1.0", commit: "4f2a91c" }] },
);
