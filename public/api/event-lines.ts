/** An event of the server about a change. */
export interface ServerEvent {
  readonly type: string;
  readonly site: string | null;
  readonly deployment_number?: number;
  readonly alias?: string;
  readonly hostname?: string;
}

/** Parses a stream of server-sent events in chunks of any size. */
export class EventLines {
  /** The id of the last complete event; empty before the first. */
  lastId: string;
  #id: string;
  #rest = "";
  #type = "";
  #data = "";

  constructor(lastId = "") {
    this.lastId = lastId;
    this.#id = lastId;
  }

  /** Returns the events that `text` completes. Unknown lines are ignored, as the standard requires. */
  read(text: string): ServerEvent[] {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.flatMap((line) => (line === "" ? this.#end() : this.#take(line)));
  }

  #take(line: string): [] {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = line.slice(field.length + 1).replace(/^ /, "");
    if (field === "id") this.#id = value;
    if (field === "event") this.#type = value;
    if (field === "data") this.#data += value;
    return [];
  }

  #end(): ServerEvent[] {
    const [type, data] = [this.#type, this.#data];
    this.#type = "";
    this.#data = "";
    this.lastId = this.#id;
    if (type === "" || data === "") return [];
    return [{ ...(JSON.parse(data) as Omit<ServerEvent, "type">), type }];
  }
}
