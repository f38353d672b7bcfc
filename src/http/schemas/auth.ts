import { t } from "elysia";

export const ApiUser = t.Object(
  { login: t.String(), name: t.Union([t.String(), t.Null()]) },
  { examples: [{ login: "ada", name: "Ada Lovelace" }] },
);
