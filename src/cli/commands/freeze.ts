import type { Command } from "commander";
import { operatorCommand } from "../command.ts";

const freeze = () => import("../freeze.ts");

export function freezeCommands(): Command[] {
  return [
    operatorCommand("freeze <site>", "freeze a site")
      .option("--reason <TEXT>", "reason, shown to the site's owner and never to visitors")
      .note(
        "Visitors of a frozen site get a plain page with status 403, on all of its hostnames. Its owner can still view, download and delete it, and remove its domains, but not change it. Nothing is deleted, and certificates are still renewed.",
      )
      .examples("vitrine freeze hello", "vitrine freeze hello --reason 'reported as phishing'")
      .runs(freeze, "freezeSite"),
    operatorCommand("unfreeze <site>", "unfreeze a site")
      .examples("vitrine unfreeze hello")
      .runs(freeze, "unfreezeSite"),
  ];
}
