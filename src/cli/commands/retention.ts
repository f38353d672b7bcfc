import type { Command } from "commander";
import { group, operatorCommand } from "../command.ts";

const retention = () => import("../retention.ts");

export function retentionCommands(): Command[] {
  return [
    group("retention", "manage which deployments are kept", [
      operatorCommand("show [site]", "show the retention policy and what it would delete")
        .listOptions()
        .examples("vitrine retention show", "vitrine retention show hello")
        .runs(retention, "showRetention"),
      operatorCommand("run [site]", "delete now what the policy does not keep, instead of within the hour")
        .jsonOption()
        .examples("vitrine retention run", "vitrine retention run hello")
        .runs(retention, "runRetention"),
      operatorCommand("set <site>", "set a site's retention policy")
        .policyOptions()
        .examples(
          "vitrine retention set hello --keep-last 20",
          "vitrine retention set hello --keep-days 90 --grace-days 30",
          "vitrine retention set hello --default",
        )
        .runs(retention, "setRetention"),
      operatorCommand("pin <site> <number>", "pin a deployment: no policy deletes it")
        .examples("vitrine retention pin hello 12")
        .runs(retention, "setPin", "pinned"),
      operatorCommand("unpin <site> <number>", "unpin a deployment: the policy applies again")
        .examples("vitrine retention unpin hello 12")
        .runs(retention, "setPin", "unpinned"),
    ]).examples(
      "vitrine retention show",
      "vitrine retention set hello --keep-last 20",
      "vitrine retention pin hello 12",
    ),
  ];
}
