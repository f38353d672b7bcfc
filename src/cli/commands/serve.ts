import { type Command, Option } from "commander";
import { SETTINGS } from "../../config/settings.ts";
import { CliCommand } from "../command.ts";

export function serveCommands(): Command[] {
  const command = new CliCommand("serve")
    .description("run the server")
    .option("--config <FILE>", "settings file (default: vitrine.toml in the data folder)")
    .note(
      "Each setting is also an environment variable (--base-url: VITRINE_BASE_URL) and a key in vitrine.toml (base-url). A flag overrides the variable, which overrides the file, which overrides the default.",
    )
    .examples(
      "vitrine serve",
      "vitrine serve --data-dir /srv/vitrine --listen :8080",
      "vitrine serve --base-url https://pages.example.org --tls acme",
    );
  for (const { flag, value, help, defaultText } of Object.values(SETTINGS)) {
    const text = `${help} (default: ${defaultText})`.replaceAll("`", "");
    command.addOption(
      value === "on|off"
        ? new Option(`--${flag} [on|off]`, text).preset("on")
        : new Option(`--${flag} <${value}>`, text),
    );
  }
  return [command.runs(() => import("../serve.ts"), "runServer")];
}
