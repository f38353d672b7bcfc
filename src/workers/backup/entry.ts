import { runBackupThread } from "./backup-thread.ts";

// The entry of a thread that makes and verifies backups.
await runBackupThread();
