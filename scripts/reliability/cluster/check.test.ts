import { describe, expect, test } from "bun:test";
import { checkHistory } from "./check.ts";
import type { Change, Fault, FoundSite, History, Sight, Visit } from "./history.ts";

type Times = readonly [begin: number, end: number];

const change = (kind: Change["kind"], [begin, end]: Times, more: Partial<Change> = {}): Change => ({
  kind,
  site: "demo",
  via: "n1",
  begin,
  end,
  outcome: "done",
  status: 200,
  ...more,
});
const deploy = (mark: string, times: Times, more: Partial<Change> = {}) => change("deploy", times, { mark, ...more });
const UNKNOWN = { outcome: "unknown", status: null } as const;

const visit = (saw: Sight | Sight["kind"], [begin, end]: Times, via = "n2"): Visit => ({
  site: "demo",
  via,
  path: "/",
  begin,
  end,
  saw: typeof saw === "string" ? ({ kind: saw, detail: "503" } as Sight) : saw,
});
/** A visit that the node n2 answered behind the balancer. */
const balanced = (saw: Sight, times: Times, isReady = false): Visit => ({
  ...visit(saw, times, "balancer"),
  by: { node: "n2", isReady },
});
const page = (mark: string): Sight => ({ kind: "page", mark });
const fault = (kind: Fault["kind"], [begin, end]: Times, node: string | null = null): Fault => ({
  kind,
  begin,
  lifted: end,
  end,
  node,
});
const found = (...deployments: [number, string][]): FoundSite => ({ site: "demo", deployments: new Map(deployments) });

/** Excuses failed changes, and nothing else. */
const NO_DATABASE = fault("database killed", [-1000, 100_000]);

/** Returns the kinds of violations in a history of one site. */
function kinds(history: Partial<History>): readonly string[] {
  const all = { changes: [], visits: [], faults: [NO_DATABASE], found: [], ...history };
  return checkHistory(all).map(({ kind }) => kind);
}

const A = deploy("a", [0, 10]);
const B = deploy("b", [20, 30]);

describe("a visit", () => {
  test.each<[string, readonly Change[], Visit]>([
    ["shows a deployment that was answered before", [A], visit(page("a"), [11, 12])],
    ["shows a deployment that is being made", [deploy("a", [0, 100])], visit(page("a"), [11, 12])],
    ["shows the deployment before, while another is being made", [A, B], visit(page("a"), [25, 40])],
    ["shows nothing before the first deployment is answered", [A], visit("no site", [5, 20])],
    ["shows nothing after a deletion", [A, change("delete", [20, 30])], visit("no site", [31, 32])],
    ["shows the older of two deployments at the same time", [A, deploy("b", [5, 8])], visit(page("a"), [11, 12])],
    ["shows the newer of two deployments at the same time", [A, deploy("b", [5, 8])], visit(page("b"), [11, 12])],
    [
      "shows an earlier deployment that is active again",
      [A, B, change("activate", [40, 50], { mark: "a" })],
      visit(page("a"), [51, 52]),
    ],
    [
      "shows what was before a refused change",
      [A, deploy("b", [20, 30], { outcome: "refused" })],
      visit(page("a"), [31, 32]),
    ],
    [
      "shows what was before a change without an answer",
      [A, deploy("b", [20, 30], UNKNOWN)],
      visit(page("a"), [31, 32]),
    ],
    ["shows a change without an answer, much later", [A, deploy("b", [20, 30], UNKNOWN)], visit(page("b"), [99, 100])],
    [
      "shows what was before a change that is not everywhere yet",
      [A, deploy("b", [20, 30], { outcome: "late" })],
      visit(page("a"), [31, 32]),
    ],
    ["shows that the site is frozen", [A, change("freeze", [20, 30])], visit("frozen", [31, 32])],
    ["shows a file while the site is being frozen", [A, change("freeze", [20, 30])], visit("shared", [25, 32])],
  ])("%s: right", (_, changes, visit) => expect(kinds({ changes, visits: [visit] })).toEqual([]));

  test.each<[string, readonly Change[], Visit]>([
    ["nothing after a deployment was answered", [A], visit("no site", [11, 12])],
    ["no file after a deployment was answered", [A], visit("no file", [11, 12])],
    ["the deployment before the one that was answered", [A, B], visit(page("a"), [31, 32])],
    ["a deployment before its request", [B], visit(page("b"), [5, 6])],
    ["a deployment that was refused", [A, deploy("b", [20, 30], { outcome: "refused" })], visit(page("b"), [31, 32])],
    ["a deployment that nobody sent", [A], visit(page("x"), [31, 32])],
    ["a deleted site", [A, change("delete", [20, 30])], visit(page("a"), [31, 32])],
    ["what an activation replaced", [A, B, change("activate", [40, 50], { mark: "a" })], visit(page("b"), [51, 52])],
    ["a frozen site", [A, change("freeze", [20, 30])], visit(page("a"), [31, 32])],
    ["a file of a frozen site", [A, change("freeze", [20, 30])], visit("shared", [31, 32])],
    [
      "a site as frozen that is not any more",
      [A, change("freeze", [20, 30]), change("unfreeze", [40, 50])],
      visit("frozen", [51, 52]),
    ],
    [
      "what was before a change that is not everywhere yet, after the next answered one",
      [A, deploy("b", [20, 30], { outcome: "late" }), deploy("c", [40, 50])],
      visit(page("b"), [51, 52]),
    ],
  ])("shows %s: stale", (_, changes, visit) => expect(kinds({ changes, visits: [visit] })).toEqual(["stale visit"]));

  test("shows a change without an answer, which an earlier visit proves was made before the next one: stale", () => {
    const changes = [A, deploy("b", [20, 30], UNKNOWN), deploy("c", [40, 50])];
    expect(kinds({ changes, visits: [visit(page("b"), [51, 52])] })).toEqual([]);
    const visits = [visit(page("b"), [31, 32]), visit(page("b"), [51, 52])];
    expect(kinds({ changes, visits })).toEqual(["stale visit"]);
  });

  test.each<[string, Fault, Times, readonly string[]]>([
    ["of the node, answered since the cut", fault("node without database", [15, 100], "n2"), [31, 32], []],
    ["of another node", fault("node without database", [15, 100], "n1"), [31, 32], ["stale visit"]],
    [
      "of the node, answered before the cut",
      fault("node without database", [30.5, 100], "n2"),
      [31, 32],
      ["stale visit"],
    ],
    ["that has ended", fault("node without database", [15, 40], "n2"), [41, 42], ["stale visit"]],
    ["of another kind", fault("node stopped", [15, 100], "n2"), [31, 32], ["stale visit"]],
  ])("may be stale only at a node without its database: a cut %s", (_, cut, times, expected) =>
    expect(kinds({ changes: [A, B], visits: [visit(page("a"), times)], faults: [cut] })).toEqual([...expected]),
  );
});

describe("a node that had a fault while the database was away", () => {
  const STOPPED = fault("node stopped", [15, 100], "n2");
  const NO_DATABASE = fault("database stopped", [90, 200]);
  const LATER = fault("node without database", [190, 300], "n2");

  test.each<[string, readonly Fault[], Visit, readonly string[]]>([
    ["may be stale until the database is back", [STOPPED, NO_DATABASE], visit(page("a"), [120, 121]), []],
    ["may be stale behind the balancer", [STOPPED, NO_DATABASE], balanced(page("a"), [120, 121]), []],
    [
      "may be stale until the balancer notices that others are ready",
      [STOPPED, NO_DATABASE],
      balanced(page("a"), [1100, 1101]),
      [],
    ],
    [
      "behind the balancer that should have noticed it: stale",
      [STOPPED, NO_DATABASE],
      balanced(page("a"), [1300, 1301]),
      ["stale visit"],
    ],
    [
      "behind the balancer that takes it for ready: stale",
      [STOPPED, NO_DATABASE],
      balanced(page("a"), [120, 121], true),
      ["stale visit"],
    ],
    [
      "behind the balancer, if another node had the fault: stale",
      [{ ...STOPPED, node: "n1" }, NO_DATABASE],
      balanced(page("a"), [120, 121]),
      ["stale visit"],
    ],
    ["may be stale until its next fault has ended", [STOPPED, NO_DATABASE, LATER], visit(page("a"), [250, 251]), []],
    ["before the database was: stale", [STOPPED, NO_DATABASE], visit(page("a"), [80, 81]), ["stale visit"]],
    ["after the database was: stale", [STOPPED, NO_DATABASE], visit(page("a"), [220, 221]), ["stale visit"]],
    [
      "behind the balancer, with a database: stale",
      [fault("node without database", [15, 300], "n2")],
      balanced(page("a"), [250, 251]),
      ["stale visit"],
    ],
    [
      "that had ended before: stale",
      [fault("node stopped", [15, 50], "n2"), NO_DATABASE],
      visit(page("a"), [120, 121]),
      ["stale visit"],
    ],
    [
      "that left it in contact: stale",
      [fault("node without S3", [15, 100], "n2"), NO_DATABASE],
      visit(page("a"), [120, 121]),
      ["stale visit"],
    ],
    ["another node: stale", [STOPPED, NO_DATABASE], visit(page("a"), [120, 121], "n1"), ["stale visit"]],
  ])("%s", (_, faults, saw, expected) =>
    expect(kinds({ changes: [A, B], visits: [saw], faults })).toEqual([...expected]),
  );

  test("may be stale until it is ready itself, if it came back before the database", () => {
    const stale = visit(page("a"), [220, 221]);
    const whenLifted = (lifted: number) => {
      const faults = [{ ...fault("node killed", [15, 230], "n2"), lifted }, NO_DATABASE];
      return kinds({ changes: [A, B], visits: [stale], faults });
    };
    expect(whenLifted(190)).toEqual([]);
    expect(whenLifted(210)).toEqual(["stale visit"]);
  });

  test("may be stale until its next attempt, if it was isolated before it stopped", () => {
    const found = (times: Times, { isBalanced = false, begin = 150, kind = "node stopped" as Fault["kind"] } = {}) => {
      const cut = fault("node without database", [15, 100], "n2");
      const faults = [cut, NO_DATABASE, { ...fault(kind, [begin, 9000], "n2"), lifted: 300 }];
      return kinds({ changes: [A, B], visits: [(isBalanced ? balanced : visit)(page("a"), times)], faults });
    };
    expect(found([210, 1000])).toEqual([]);
    expect(found([1210, 2000], { isBalanced: true })).toEqual(["stale visit"]);
    expect(found([210, 1000], { begin: 80 })).toEqual(["stale visit"]);
    expect(found([210, 1000], { kind: "node killed" })).toEqual(["stale visit"]);
    expect(found([2800, 2900])).toEqual(["stale visit"]);
  });

  test("may not lack what was answered before", () => {
    const faults = [{ ...STOPPED, begin: 31 }, NO_DATABASE];
    expect(kinds({ changes: [A, B], visits: [visit(page("a"), [120, 121])], faults })).toEqual(["stale visit"]);
  });
});

describe("a failure", () => {
  test.each<[string, Visit, Fault, readonly string[]]>([
    ["of a visit without a fault", visit("failed", [1, 2]), fault("node killed", [10, 20], "n2"), ["failed visit"]],
    ["of a visit at a killed node", visit("failed", [11, 12]), fault("node killed", [10, 20], "n2"), []],
    ["of a visit at a stopped node", visit("failed", [11, 12]), fault("node stopped", [10, 20], "n2"), []],
    [
      "of a visit at a node that was stopped, of what it has not cached",
      visit("failed", [25, 26]),
      { ...fault("node stopped", [10, 30], "n2"), lifted: 20 },
      [],
    ],
    [
      "of a visit at a node whose visitors were cut off",
      visit("failed", [25, 26]),
      { ...fault("node without visitors", [10, 30], "n2"), lifted: 20 },
      ["failed visit"],
    ],
    ["of a visit at another node", visit("failed", [11, 12]), fault("node killed", [10, 20], "n1"), ["failed visit"]],
    [
      "behind the balancer while a node is killed",
      visit("failed", [11, 12], "balancer"),
      fault("node killed", [10, 20], "n1"),
      ["failed visit"],
    ],
    [
      "behind the balancer while a node drains",
      visit("failed", [11, 12], "balancer"),
      fault("node drained", [10, 20], "n1"),
      ["failed visit"],
    ],
    [
      "behind the balancer that has not noticed a stopped node",
      visit("failed", [11, 9000], "balancer"),
      fault("node stopped", [10, 20_000], "n1"),
      [],
    ],
    [
      "behind the balancer that has noticed a stopped node",
      visit("failed", [9000, 9001], "balancer"),
      fault("node stopped", [10, 20_000], "n1"),
      ["failed visit"],
    ],
    [
      "of a visit without the database",
      visit("failed", [11, 12]),
      fault("database killed", [10, 20]),
      ["failed visit"],
    ],
    [
      "of a visit at a node without the database",
      visit("failed", [11, 12]),
      fault("node without database", [10, 20], "n2"),
      ["failed visit"],
    ],
    ["of a visit without S3", visit("failed", [11, 12]), fault("S3 stopped", [10, 20]), []],
    ["of content, whatever the fault", visit("damaged", [11, 12]), fault("S3 stopped", [10, 20]), ["missing content"]],
  ])("%s", (_, failed, fault, expected) =>
    // Behind the balancer is another node, which has not cached what is visited.
    expect(kinds({ visits: [{ ...visit("shared", [1, 2], "n3"), path: "/other" }, failed], faults: [fault] })).toEqual([
      ...expected,
    ]),
  );

  describe("while a server is away", () => {
    const NO_S3 = fault("S3 stopped", [3000, 99_000]);
    const NO_DATABASE = fault("database killed", [3000, 99_000]);
    const CUT = fault("node without S3", [3000, 99_000], "n1");
    const STOPPED = { ...fault("node stopped", [3000, 99_000], "n2"), lifted: 9000 };
    const served = (via = "n2", times: Times = [100, 110]) => visit(page("a"), times, via);
    const failed = (via = "n2", times: Times = [10_000, 10_010]) => visit("failed", times, via);
    const LATE = served("n2", [4010, 4020]);
    const lost = deploy("b", [2990, 3500], UNKNOWN);

    test.each<[string, readonly Visit[], Fault, readonly string[]]>([
      ["that its node has served", [served(), failed()], NO_S3, ["failed visit"]],
      ["that its node has served to nobody", [failed()], NO_S3, []],
      ["that only another node has served", [served("n1"), served("n3"), failed()], NO_S3, []],
      ["that its node served later", [failed(), served("n2", [10_020, 10_030])], NO_S3, []],
      ["at another path", [{ ...served(), path: "/1.html" }, failed()], NO_S3, []],
      [
        "behind the balancer, that all nodes have served",
        [served("n1"), served(), failed("balancer")],
        CUT,
        ["failed visit"],
      ],
      ["that its node has served before it was stopped", [served(), failed()], STOPPED, ["failed visit"]],
      ["that its node has just served", [served("n2", [9990, 9995]), failed()], NO_S3, []],
      ["behind the balancer, that one node has not served", [served(), failed("n1"), failed("balancer")], CUT, []],
    ])("of a visit of a file %s", (_, visits, fault, expected) =>
      expect(kinds({ changes: [A], visits, faults: [fault] })).toEqual([...expected]),
    );

    test.each<[string, Visit, Change, readonly string[]]>([
      ["before the node served the file", visit(page("b"), [2000, 2010]), deploy("b", [1000, 1500]), ["failed visit"]],
      ["after the node served the file", served(), deploy("b", [1000, 1500]), []],
      ["that was refused", served(), deploy("b", [2990, 3500], { outcome: "refused" }), ["failed visit"]],
      ["of another site", served(), { ...deploy("b", [1000, 1500]), site: "other" }, ["failed visit"]],
      ["without an answer, after which the node served the file", served("n2", [3600, 3610]), lost, []],
      ["without an answer, if the node served the file long after the database ended", LATE, lost, ["failed visit"]],
    ])("of a visit of a cached file, with a change %s", (_, served, change, expected) =>
      expect(kinds({ changes: [A, change], visits: [served, failed()], faults: [NO_S3, NO_DATABASE] })).toEqual([
        ...expected,
      ]),
    );

    test.each<[string, Times, readonly string[]]>([
      ["while the nodes reconnect", [9000, 9900], []],
      ["while the database is away", [9600, 9900], ["failed visit"]],
      ["when all nodes are connected again", [9000, 9400], ["failed visit"]],
    ])("of a visit of a cached file behind the balancer, if a node is killed %s", (_, [lifted, end], expected) => {
      const faults = [{ ...fault("database killed", [3000, end]), lifted }, fault("node killed", [9500, 99_000], "n1")];
      const visitUntil = (times: Times) => [served("n1"), served("n2"), failed("balancer", times)];
      expect(kinds({ changes: [A], visits: visitUntil([14_400, 14_410]), faults })).toEqual([...expected]);
      expect(kinds({ changes: [A], visits: visitUntil([14_600, 14_610]), faults })).toEqual(["failed visit"]);
    });

    test("of a visit that ends when the database is back already, which may show a change without an answer", () => {
      const faults = [NO_S3, { ...NO_DATABASE, lifted: 10_005 }];
      expect(kinds({ changes: [A, lost], visits: [LATE, failed()], faults })).toEqual([]);
    });
  });

  test.each<[string, Change, Fault, readonly string[]]>([
    ["without a fault", deploy("a", [1, 2], UNKNOWN), fault("node killed", [10, 20], "n1"), ["failed change"]],
    ["at a killed node", deploy("a", [11, 12], UNKNOWN), fault("node killed", [10, 20], "n1"), []],
    [
      "while another node is killed",
      deploy("a", [11, 12], UNKNOWN),
      fault("node killed", [10, 20], "n2"),
      ["failed change"],
    ],
    [
      "without the database",
      deploy("a", [11, 12], { outcome: "refused", status: 503 }),
      fault("database stopped", [10, 20]),
      [],
    ],
    [
      "at a node that was cut off from the database a moment ago",
      deploy("a", [2900, 2910], { outcome: "refused", status: 503 }),
      fault("node without database", [10, 20], "n1"),
      [],
    ],
    [
      "at a node that was cut off from the database long ago",
      deploy("a", [3100, 3110], { outcome: "refused", status: 503 }),
      fault("node without database", [10, 20], "n1"),
      ["failed change"],
    ],
    [
      "because of its request",
      deploy("a", [1, 2], { outcome: "refused", status: 409 }),
      fault("node killed", [10, 20]),
      [],
    ],
  ])("of a change %s", (_, change, fault, expected) =>
    expect(kinds({ changes: [change], faults: [fault] })).toEqual([...expected]),
  );
});

describe("numbers", () => {
  const DELETE = change("delete", [12, 18]);
  test.each<[string, readonly Change[], readonly string[]]>([
    ["grow", [deploy("a", [0, 10], { number: 1 }), deploy("b", [20, 30], { number: 2 })], []],
    ["leave gaps", [deploy("a", [0, 10], { number: 1 }), deploy("b", [20, 30], { number: 7 })], []],
    [
      "of deployments at the same time come in any order",
      [deploy("a", [0, 10], { number: 2 }), deploy("b", [5, 9], { number: 1 })],
      [],
    ],
    [
      "start again at 1 after a deletion",
      [deploy("a", [0, 10], { number: 1 }), DELETE, deploy("b", [20, 30], { number: 1 })],
      [],
    ],
    [
      "are never given twice",
      [deploy("a", [0, 10], { number: 1 }), deploy("b", [5, 9], { number: 1 })],
      ["wrong number"],
    ],
    [
      "are never given again",
      [deploy("a", [0, 10], { number: 1 }), deploy("b", [20, 30], { number: 1 })],
      ["wrong number"],
    ],
    ["never go back", [deploy("a", [0, 10], { number: 2 }), deploy("b", [20, 30], { number: 1 })], ["wrong number"]],
    [
      "do not start again after a refused deletion",
      [
        deploy("a", [0, 10], { number: 1 }),
        { ...DELETE, outcome: "refused", status: 409 },
        deploy("b", [20, 30], { number: 1 }),
      ],
      ["wrong number"],
    ],
    [
      "do not start again before a deletion",
      [deploy("a", [0, 10], { number: 1 }), deploy("b", [20, 30], { number: 1 }), change("delete", [31, 40])],
      ["wrong number"],
    ],
  ])("%s", (_, changes, expected) => expect(kinds({ changes })).toEqual([...expected]));
});

describe("in the end", () => {
  const first = deploy("a", [0, 10], { number: 1 });
  test.each<[string, readonly Change[], FoundSite, readonly string[]]>([
    ["every answered deployment is there", [first], found([1, "a"]), []],
    ["an answered deployment is missing", [first], found(), ["lost change"]],
    [
      "an answered deployment has another content",
      [first, deploy("b", [0, 10], UNKNOWN)],
      found([1, "b"]),
      ["lost change"],
    ],
    ["a deletion took it", [first, change("delete", [20, 30])], found(), []],
    ["a deletion without an answer may have taken it", [first, change("delete", [20, 30], UNKNOWN)], found(), []],
    ["a deletion before it took nothing", [change("delete", [-9, -5]), first], found(), ["lost change"]],
    ["a deployment without an answer is there", [deploy("a", [0, 10], UNKNOWN)], found([1, "a"]), []],
    ["a deployment without an answer is not there", [deploy("a", [0, 10], UNKNOWN)], found(), []],
    [
      "a refused deployment is there",
      [deploy("a", [0, 10], { outcome: "refused", status: 409 })],
      found([1, "a"]),
      ["invented change"],
    ],
    ["a deployment is there that nobody sent", [], found([1, "x"]), ["invented change"]],
    ["an archive was deployed twice", [first], found([1, "a"], [2, "a"]), ["invented change"]],
  ])("%s", (_, changes, site, expected) => expect(kinds({ changes, found: [site] })).toEqual([...expected]));
});
