import type { Command } from "commander";
import { type Lazy, operatorCommand } from "../command.ts";

export function freezeCommands(lazy: Lazy): Command[] {
  return [freezeCommand(lazy), unfreezeCommand(lazy)];
}

// --- internal ---

function freezeCommand(lazy: Lazy): Command {
  return operatorCommand("freeze", "freeze a site")
    .argument("<site>")
    .option("--reason <TEXT>", "reason, shown to the site's owner and never to visitors")
    .note(
      "Visitors of a frozen site get a plain page with status 403, on all of its hostnames. Its owner can still view, download and delete it, but not change it. Nothing is deleted, and certificates are still renewed.",
    )
    .examples(
      "vitrine freeze hello",
      "vitrine freeze hello --reason 'reported as phishing'",
      "vitrine freeze hello --data-dir /srv/vitrine",
    )
    .action(lazy(() => import("../freeze.ts"), "freezeSite"));
}

function unfreezeCommand(lazy: Lazy): Command {
  return operatorCommand("unfreeze", "unfreeze a site")
    .argument("<site>")
    .examples(
      "vitrine unfreeze hello",
      "vitrine unfreeze hello --data-dir /srv/vitrine",
      "vitrine unfreeze hello --config /etc/vitrine/vitrine.toml",
    )
    .action(lazy(() => import("../freeze.ts"), "unfreezeSite"));
}
