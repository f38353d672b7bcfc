import type { IncidentStore } from "../../domain/ports/store/incidents.ts";
import type { Memory } from "./tables.ts";
import { noteForOperator } from "./webhooks.ts";

export function incidentStore(memory: Memory): IncidentStore {
  const { incidents } = memory;
  return {
    listNames: async () => incidents.filter({}).map(({ name }) => name),
    async change({ begun, over }, at) {
      incidents.remove(({ name }) => over.includes(name));
      const opened: string[] = [];
      for (const { name, event } of begun) {
        if (incidents.find({ name })) continue;
        incidents.add({ name, since: at });
        noteForOperator(memory, at, event);
        opened.push(name);
      }
      return opened;
    },
  };
}
