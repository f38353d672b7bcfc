import type { Command } from "commander";
import { clientCommand, group, jsonOption, type Lazy, longOption } from "../command.ts";

export function publisherCommands(lazy: Lazy): Command[] {
  return [
    group("publishers", "let CI deploy without a stored secret", [
      addCommand(lazy),
      listCommand(lazy),
      removeCommand(lazy),
    ])
      .note(
        "In CI, vitrine deploy without a token exchanges the ID token of the run. The server keeps no secret of it.",
      )
      .examples(
        "vitrine publishers add hello --github octo/blog --ref refs/heads/main",
        "vitrine publishers list hello",
        "vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f",
      ),
  ];
}

// --- internal ---

function addCommand(lazy: Lazy): Command {
  return clientCommand("add", "let a repository's workflow deploy to a site")
    .argument("<site>")
    .option("--github <REPOSITORY>", "owner/repository on GitHub")
    .option("--gitlab <PROJECT>", "path of the project on GitLab, with its groups")
    .option("--forgejo <REPOSITORY>", "owner/repository on Forgejo; needs --issuer")
    .option("--issuer <URL>", "issuer of the ID tokens (default: GitHub's, gitlab.com's)")
    .option("--workflow <FILE>", "only this workflow, such as deploy.yml")
    .option("--ref <REF>", "only this branch or tag, such as refs/heads/main")
    .option("--environment <NAME>", "only jobs of this environment")
    .option("--preview", "previews only, which need neither --ref nor --environment")
    .addOption(jsonOption())
    .note("A publisher that may publish needs --ref or --environment; otherwise, any branch could publish.")
    .examples(
      "vitrine publishers add hello --github octo/blog --environment production",
      "vitrine publishers add hello --gitlab group/blog --ref refs/heads/main --workflow .gitlab-ci.yml",
      "vitrine publishers add hello --forgejo octo/blog --issuer https://forgejo.example.org/api/actions --preview",
    )
    .action(lazy(() => import("../publishers.ts"), "addPublisher"));
}

function listCommand(lazy: Lazy): Command {
  return clientCommand("list", "list a site's publishers")
    .argument("<site>")
    .addOption(longOption())
    .addOption(jsonOption())
    .examples(
      "vitrine publishers list hello",
      "vitrine publishers list hello --long",
      "vitrine publishers list hello --json",
    )
    .action(lazy(() => import("../publishers.ts"), "listPublishers"));
}

function removeCommand(lazy: Lazy): Command {
  return clientCommand("remove", "remove a publisher, and end the tokens that it was given")
    .argument("<site>")
    .argument("<id>")
    .examples(
      "vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f",
      "vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f --token vts_…",
      "vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f --server https://pages.example.org",
    )
    .action(lazy(() => import("../publishers.ts"), "removePublisher"));
}
