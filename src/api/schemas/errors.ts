import { Type as t } from "@sinclair/typebox";
import { namedSchema } from "./values.ts";

export const ErrorResponse = namedSchema(
  "ErrorResponse",
  { detail: t.String() },
  { detail: "authentication is required" },
);

export const HTTPValidationError = namedSchema(
  "HTTPValidationError",
  {
    detail: t.Optional(
      t.Array(t.Object({ loc: t.Array(t.Union([t.String(), t.Integer()])), msg: t.String(), type: t.String() })),
    ),
  },
  { detail: [{ loc: ["body", "site_name"], msg: "Field required", type: "missing" }] },
);
