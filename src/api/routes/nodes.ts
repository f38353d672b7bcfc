import { Type as t } from "@sinclair/typebox";
import { requestDrain } from "../../domain/operators/nodes.ts";
import { reply, route } from "../route.ts";
import { NodeResponse, nodeResponse } from "../schemas/nodes.ts";

const common = { tag: "Operators", auth: "operator" } as const;

export const nodeRoutes = [
  route({
    ...common,
    endpoint: "GET /admin/nodes",
    summary: "List the nodes by name",
    description: "Empty for a server without `--database`, which has no other nodes.",
    response: { 200: t.Array(NodeResponse) },
    handler: async ({ ports }) => ((await ports.store.nodes?.list()) ?? []).map(nodeResponse),
  }),

  route({
    ...common,
    endpoint: "POST /admin/nodes/:node_name/drain",
    summary: "Drain a node",
    description:
      "Within a second, `/ready` of the node is 503. It stops after its drain delay, once its requests have finished. The response does not wait for that.",
    response: { 202: NodeResponse },
    errors: { 404: "the node does not exist", 409: "it is the only live node" },
    audit: ({ node_name }) => `Drained the node ${node_name}`,
    handler: async ({ params, ports }) =>
      reply(nodeResponse(await requestDrain(ports, params.node_name)), { status: 202 }),
  }),
];
