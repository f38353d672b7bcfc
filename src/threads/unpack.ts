import { runUnpackingThread } from "../compose/unpacking.ts";

// The entry of a thread that unpacks uploads.
runUnpackingThread();
