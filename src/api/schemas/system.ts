import { Type as t } from "@sinclair/typebox";
import { namedSchema } from "./values.ts";

export const HealthResponse = namedSchema("HealthResponse", { status: t.Literal("ok") }, { status: "ok" });

export const UnhealthyResponse = namedSchema(
  "UnhealthyResponse",
  { status: t.Literal("unavailable"), detail: t.String() },
  { status: "unavailable", detail: "the database cannot be written: check the data folder" },
);

export const ReadyResponse = namedSchema("ReadyResponse", { status: t.Literal("ready") }, { status: "ready" });

export const NotReadyResponse = namedSchema(
  "NotReadyResponse",
  { status: t.Union([t.Literal("draining"), t.Literal("isolated")]), detail: t.String() },
  { status: "draining", detail: "the server is stopping" },
);

export const VersionResponse = namedSchema(
  "VersionResponse",
  {
    version: t.String(),
    commit: t.String(),
    client: t.Object(
      {
        npm: t.Union([t.Object({ url: t.String(), integrity: t.String() }), t.Null()], {
          description: "the package of the command-line client; null if downloads are off",
        }),
        executables: t.Array(
          t.Object({ platform: t.String(), url: t.String(), sha256: t.String(), bytes: t.Integer() }),
          { description: "client and server in one file" },
        ),
      },
      { description: "where to get the command-line client" },
    ),
  },
  {
    version: "0.1.0",
    commit: "4f2a91c",
    client: {
      npm: {
        url: "https://pages.example.org/vitrine.tgz",
        integrity: "sha512-ktE36kVYn9Mo4wuk8U2UUnMQ3yLUHQHaWWc+HVWnTH9a2RjG5YXmtDSuA5W3ojt8YJ5IsSEDEeFTsZmHq8c9bQ==",
      },
      executables: [
        {
          platform: "linux-x64",
          url: "https://pages.example.org/download/vitrine-linux-x64",
          sha256: "3f79bb7b435b05321651daefd374cdc681dc06faa65e374e38337b88ca046dea",
          bytes: 112_394_240,
        },
      ],
    },
  },
);
