import { runServingThread } from "../compose/threads.ts";

// The entry of a thread that answers requests.
runServingThread(globalThis as unknown as Worker);
