import { Elysia } from "elysia";
import type { ApiPorts } from "../ports.ts";
import { devicePages } from "./pages/device.ts";
import { setupPages } from "./pages/setup.ts";
import { signInPages } from "./pages/sign-in.ts";
import { visitPages } from "./pages/visit.ts";

/** The pages of the base address that people meet on their way in; none of them needs a script. */
export function pageRoutes(ports: ApiPorts) {
  return new Elysia({ detail: { hide: true } })
    .use(signInPages(ports))
    .use(devicePages(ports))
    .use(setupPages(ports))
    .use(visitPages(ports));
}
