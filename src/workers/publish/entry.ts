import { runPublishingThread } from "./publishing.ts";

// The entry of a thread that unpacks uploads and publishes them.
runPublishingThread();
