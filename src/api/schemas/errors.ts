import { Type as t } from "@sinclair/typebox";

export const ErrorResponse = t.Object(
  { detail: t.String() },
  { title: "ErrorResponse", examples: [{ detail: "authentication is required" }] },
);

export const HTTPValidationError = t.Object(
  {
    detail: t.Optional(
      t.Array(t.Object({ loc: t.Array(t.Union([t.String(), t.Integer()])), msg: t.String(), type: t.String() })),
    ),
  },
  {
    title: "HTTPValidationError",
    examples: [{ detail: [{ loc: ["body", "site_name"], msg: "Field required", type: "missing" }] }],
  },
);
