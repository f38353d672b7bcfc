import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

const deployments = () => import("../deployments.ts");

export function deploymentCommands(): Command[] {
  return [
    group("deployments", "manage a site's deployments", [
      clientCommand("list <site>", "list a site's deployments, newest first")
        .option("--limit <N>", "number of entries")
        .option("--before <NUMBER>", "only deployments before this number")
        .listOptions()
        .examples("vitrine deployments list hello", "vitrine deployments list hello --limit 5 --before 12")
        .runs(deployments, "listDeployments"),
      clientCommand("activate <site> <number>", "make a deployment the active one, which visitors see")
        .jsonOption()
        .examples("vitrine deployments activate hello 3")
        .runs(deployments, "activateDeployment"),
      clientCommand("download <site> <number>", "download a deployment as a ZIP")
        .argument("<file>", "the file to write, or - for stdout")
        .examples(
          "vitrine deployments download hello 3 hello-3.zip",
          "vitrine deployments download hello 3 - > hello-3.zip",
        )
        .runs(() => import("../download.ts"), "downloadDeployment"),
      clientCommand("delete <site> <number>", "delete a deployment, such as one that published a secret")
        .option("-y, --yes", "do not ask")
        .jsonOption()
        .note(
          "Its URLs respond with 410 and its shares end at once. The live deployment, and one that an alias points to, cannot be deleted: activate another one or remove the alias first.",
        )
        .examples("vitrine deployments delete hello 6", "vitrine deployments delete hello 6 --yes")
        .runs(deployments, "deleteDeployment"),
      clientCommand("keep <site>", "set which deployments are kept; others are deleted within the hour")
        .policyOptions()
        .option("--dry-run", "only show what would be deleted")
        .jsonOption()
        .examples(
          "vitrine deployments keep hello --keep-last 20",
          "vitrine deployments keep hello --keep-days 90 --grace-days 30 --dry-run",
          "vitrine deployments keep hello --default",
        )
        .runs(deployments, "setRetention"),
      clientCommand("pin <site> <number>", "pin a deployment: no policy deletes it")
        .examples("vitrine deployments pin hello 12")
        .runs(deployments, "setPin", "pinned"),
      clientCommand("unpin <site> <number>", "unpin a deployment: the policy applies again")
        .examples("vitrine deployments unpin hello 12")
        .runs(deployments, "setPin", "unpinned"),
    ]).examples(
      "vitrine deployments list hello",
      "vitrine deployments activate hello 3",
      "vitrine deployments download hello 3 hello-3.zip",
    ),
    clientCommand("rollback", "return to the deployment that was live before")
      .argument("[site]", "the site (default: the one in vitrine.json of the working folder)")
      .jsonOption()
      .examples("vitrine rollback", "vitrine rollback hello")
      .runs(deployments, "rollBack"),
  ];
}
