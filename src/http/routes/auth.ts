import { Elysia } from "elysia";
import { requireSession } from "../../domain/sites/ownership.ts";
import { authenticated } from "../authenticate.ts";
import { describe } from "../describe.ts";
import type { ApiPorts } from "../ports.ts";
import { ApiUser } from "../schemas/auth.ts";

const tags = ["Authentication"];

export function authRoutes(ports: ApiPorts) {
  return new Elysia().use(authenticated(ports)).get(
    "/auth/me",
    ({ caller }) => {
      const { login, name } = requireSession(caller).user;
      return { login, name };
    },
    {
      response: { 200: ApiUser },
      detail: describe({ summary: "Who is signed in", tags, errors: { 403: "a session token is required" } }),
    },
  );
}
