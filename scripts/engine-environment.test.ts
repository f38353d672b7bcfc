import { expect, test } from "bun:test";
import { ENGINE_ENVIRONMENT } from "./engine-environment.ts";

const variables = Object.entries(ENGINE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);

test.each(["install.sh", "Dockerfile"])("%s sets the engine's variables", async (file) => {
  const text = await Bun.file(`${import.meta.dir}/../${file}`).text();
  for (const variable of variables) expect(text).toContain(variable);
});
