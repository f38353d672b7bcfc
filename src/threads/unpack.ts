import { runUnpackingThread } from "../compose/unpacking.ts";

runUnpackingThread();
