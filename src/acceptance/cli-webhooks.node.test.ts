import { useNodeClient } from "./testing/client.ts";

useNodeClient();
await import("./cli-webhooks.test.ts");
