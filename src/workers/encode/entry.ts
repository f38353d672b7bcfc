import { runEncodingThread } from "./encoding.ts";

// The entry of a thread that encodes content for browsers.
await runEncodingThread();
