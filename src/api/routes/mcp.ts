import { answerMcp } from "../mcp/endpoint.ts";
import { type PageCall, pageRoute } from "../route.ts";

const answer = ({ ports, request }: PageCall) => answerMcp(ports, request);

/** Where agents connect (Model Context Protocol, streamable HTTP, stateless). */
export const mcpRoutes = [
  pageRoute("POST /mcp", answer),
  // Only the protocol of 2025 has them, for sessions that this server does not keep: it answers 405.
  pageRoute("GET /mcp", answer),
  pageRoute("DELETE /mcp", answer),
];
