import { runEncodingThread } from "./encoding-thread.ts";

// The entry of a thread that encodes content for browsers.
await runEncodingThread();
