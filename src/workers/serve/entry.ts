import { runServingThread } from "./serving-thread.ts";

// The entry of a thread that answers requests.
runServingThread();
