import { runPublishingThread } from "./publish/publishing.ts";

// The entry of a thread that unpacks uploads and publishes them.
runPublishingThread();
