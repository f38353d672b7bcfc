import type { Command } from "commander";
import { operatorCommand } from "../command.ts";

export function doctorCommands(): Command[] {
  return [
    operatorCommand("doctor", "find problems with the server and its settings")
      .option("--health", "only check the health of the running server, as container health checks do")
      .jsonOption()
      .note(
        "Checks the data folder, disk, database, certificates, clock, server, ports, DNS and kernel, with the settings that serve reads from variables and vitrine.toml. The exit status is 1 when there is a problem; warnings leave it at 0.",
      )
      .examples("vitrine doctor", "vitrine doctor --health")
      .runs(() => import("../doctor.ts"), "doctor"),
  ];
}
