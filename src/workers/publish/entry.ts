import { runPublishingThread } from "./publishing-thread.ts";

// The entry of a thread that unpacks uploads and publishes them.
runPublishingThread();
