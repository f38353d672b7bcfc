import { useNodeClient } from "./testing/client.ts";

useNodeClient();
await import("./cli-domains.test.ts");
