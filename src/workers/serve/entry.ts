import { runServingThread } from "./serving-thread.ts";

// The entry of a thread that serves requests.
runServingThread();
