import { runEncodingThread } from "./encoding-thread.ts";

// The entry of a thread that encodes content for browsers. Its failure is an error of the thread.
void runEncodingThread();
