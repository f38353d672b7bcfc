import { connectionOf } from "../connection.ts";
import { eventStreamResponse } from "../event-stream.ts";
import { route } from "../route.ts";

export const eventRoutes = [
  route({
    endpoint: "GET /events",
    summary: "Follow changes as they happen",
    description:
      "Server-sent events, one for each change of what you may see. `event` is the name: those of webhooks, and " +
      "`site.changed`, `access.changed`, `site.removed`, `sites.added`, for operators `admin.changed`. `data` is JSON: " +
      "`site` (null where it is about no site, or one that you may no longer see), and where they apply " +
      "`deployment_number`, `alias` and `hostname`. Fetch what you need with the other operations. With " +
      "`Last-Event-ID` the stream continues after a pause of up to 5 minutes; otherwise it begins with the event `reset`: " +
      "anything may have changed. A comment follows every 20 seconds. The stream ends with its session.",
    tag: "System",
    auth: "session",
    headers: [
      {
        name: "Last-Event-ID",
        in: "header",
        required: false,
        description: "The `id` of the last event that you received",
        schema: { type: "string" },
      },
    ],
    produces: "text/event-stream",
    errors: {
      429: "the session has 10 streams open",
      503: "too many streams are open, or the server is stopping",
    },
    async handler({ caller, request, ports }) {
      connectionOf(request).allowSlowResponse();
      const stream = await ports.eventStreams.open(caller, request.headers.get("last-event-id"));
      return eventStreamResponse(stream, ports.report);
    },
  }),
];
