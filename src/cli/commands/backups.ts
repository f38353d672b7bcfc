import type { Command } from "commander";
import { operatorCommand } from "../command.ts";

export function backupCommands(): Command[] {
  return [
    operatorCommand("backup", "back up everything, also while the server runs")
      .argument("<file>", "a file, or a folder, to which only new content is copied")
      .option("--force", "replace an existing file")
      .jsonOption()
      .note("A path that ends with a slash is a folder. A file is a tar archive, compressed with zstd.")
      .examples(
        "vitrine backup /backups/vitrine.tar.zst",
        "vitrine backup /backups/vitrine.tar.zst --force",
        "vitrine backup /backups/vitrine/",
      )
      .runs(() => import("../backup.ts"), "backUp"),
    operatorCommand("restore", "restore a backup into an empty data folder")
      .argument("<backup>", "a file, a folder, or an s3:// URL; #ID names one of several")
      .option("--replace", "move what the data folder holds aside first")
      .jsonOption()
      .note(
        "The server must not run. Of scheduled backups, it takes the newest, or the one whose ID follows #. S3 needs VITRINE_S3_ACCESS_KEY_ID and VITRINE_S3_SECRET_ACCESS_KEY. With --replace, what the data folder held before is kept in a folder below it.",
      )
      .examples(
        "vitrine restore /backups/vitrine.tar.zst",
        "vitrine restore /backups/vitrine#20261122T020000000Z --data-dir /srv/vitrine",
        "vitrine restore 's3://bucket/prefix?endpoint=https://s3.example.org' --replace",
      )
      .runs(() => import("../restore.ts"), "restore"),
    operatorCommand("verify", "check the database and the hash of every stored file")
      .jsonOption()
      .examples("vitrine verify", "vitrine verify --data-dir /backups/vitrine")
      .runs(() => import("../verify.ts"), "verify"),
    operatorCommand("move", "move files to S3, the database to PostgreSQL")
      .option("--to-content <URL>", "bucket for the files of sites: s3://bucket/prefix?endpoint=URL&region=NAME")
      .option("--to-database <URL>", "empty database for everything else: postgres://USER@HOST/DATABASE")
      .option("--to-data-dir <FOLDER>", "data folder for both: the server's own, or a new one")
      .option("--dry-run", "check both places and count files and rows, and change nothing")
      .jsonOption()
      .note(
        "The server must not run. Each file and row is read back and checked before the move counts. An interrupted move of files resumes where it stopped; one of the database starts again. The former files and rows remain until you delete them. S3 needs VITRINE_S3_ACCESS_KEY_ID and VITRINE_S3_SECRET_ACCESS_KEY.",
      )
      .examples(
        "vitrine move --to-content 's3://sites/vitrine?endpoint=https://s3.example.org' --dry-run",
        "vitrine move --to-database postgres://vitrine@db.example.org/vitrine --to-content 's3://sites/vitrine?endpoint=https://s3.example.org'",
        "vitrine move --to-data-dir /var/lib/vitrine",
      )
      .runs(() => import("../move.ts"), "move"),
  ];
}
