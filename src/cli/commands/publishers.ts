import type { Command } from "commander";
import { clientCommand, group } from "../command.ts";

const publishers = () => import("../publishers.ts");

export function publisherCommands(): Command[] {
  return [
    group("publishers", "let CI deploy without a stored secret", [
      clientCommand("add <site>", "let a repository's workflow deploy to a site")
        .option("--github <REPOSITORY>", "owner/repository on GitHub")
        .option("--gitlab <PROJECT>", "path of the project on GitLab, with its groups")
        .option("--forgejo <REPOSITORY>", "owner/repository on Forgejo; needs --issuer")
        .option("--issuer <URL>", "issuer of the ID tokens (default: GitHub's, gitlab.com's)")
        .option("--workflow <FILE>", "only this workflow, such as deploy.yml")
        .option("--ref <REF>", "only this branch or tag, such as refs/heads/main")
        .option("--environment <NAME>", "only jobs of this environment")
        .option("--preview", "previews only, which need neither --ref nor --environment")
        .jsonOption()
        .note("A publisher that may publish needs --ref or --environment; otherwise, any branch could publish.")
        .examples(
          "vitrine publishers add hello --github octo/blog --environment production",
          "vitrine publishers add hello --gitlab group/blog --ref refs/heads/main --workflow .gitlab-ci.yml",
          "vitrine publishers add hello --forgejo octo/blog --issuer https://forgejo.example.org/api/actions --preview",
        )
        .runs(publishers, "addPublisher"),
      clientCommand("list <site>", "list a site's publishers")
        .listOptions()
        .examples("vitrine publishers list hello")
        .runs(publishers, "listPublishers"),
      clientCommand("remove <site> <id>", "remove a publisher, and end the tokens that it was given")
        .examples("vitrine publishers remove hello 5f0c1d2e3a4b5c6d7e8f")
        .runs(publishers, "removePublisher"),
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
