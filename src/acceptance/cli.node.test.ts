import { useNodeClient } from "./testing/client.ts";

useNodeClient();
await import("./cli.test.ts");
