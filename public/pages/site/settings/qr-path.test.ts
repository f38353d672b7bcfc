import { expect, test } from "bun:test";
import { qrPath } from "./qr-path.ts";

const URL = "https://pr-52--atlas-docs.vitrine.example/.vitrine/enter?share=vtv_0pQrS9tUvWxYz1A2bC3dE4fG5hI6jK7lMn";

/** The rows of a code, dark modules as `#`. */
function drawn(text: string): string[] {
  const { size, path } = qrPath(text);
  const rows = Array.from({ length: size }, () => Array.from({ length: size }, () => " "));
  for (const [, column, row] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    const line = rows[Number(row)] as string[];
    line[Number(column)] = "#";
  }
  return rows.map((row) => row.join(""));
}

test("a code has its three corners, and the size that its text needs", () => {
  const rows = drawn(URL);
  const corner = ["#######", "#     #", "# ### #", "# ### #", "# ### #", "#     #", "#######"];
  const at = (top: number, left: number) => rows.slice(top, top + 7).map((row) => row.slice(left, left + 7));
  const end = rows.length - 7;
  expect([at(0, 0), at(0, end), at(end, 0)]).toEqual([corner, corner, corner]);
  expect(qrPath("https://a.example").size).toBeLessThan(rows.length);
});

test("the code of a text is the one that a reader has decoded", () => {
  // Any change needs another look by a reader: rows and columns can be exchanged, for example.
  expect(drawn("https://a.example")).toEqual([
    "####### ##### ### #######",
    "#     #    #### # #     #",
    "# ### # ##### ##  # ### #",
    "# ### #   #   #   # ### #",
    "# ### #  # ####   # ### #",
    "#     # ### #     #     #",
    "####### # # # # # #######",
    "          ### # #        ",
    "# #   ##  # ### #  #  # #",
    "# #  #   # ###### #  # ##",
    " # ####   #    ##   ### #",
    "  # #  # ##  #    #  #   ",
    "##### ##  # ## #  ##    #",
    "  #  # # ## #  ## ##   ##",
    "###   ### # ####  #  ## #",
    "   # # #  ### # ## ###   ",
    "###   ## #   ## #####  # ",
    "        ##   ## #   #   #",
    "####### # ##    # # #   #",
    "#     #  ##  # ##   #  # ",
    "# ### #  # ### ######  ##",
    "# ### #  ## #  # #  # ## ",
    "# ### # ##  #####  ### ##",
    "#     #   ### # # ###    ",
    "####### ###  ## ###  #  #",
  ]);
});
