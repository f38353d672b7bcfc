import { runBackupThread } from "./backup-thread.ts";

// The entry of a thread that makes and verifies backups. Its failure is an error of the thread.
void runBackupThread();
