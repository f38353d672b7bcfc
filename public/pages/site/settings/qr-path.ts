import qrcode from "qrcode-generator";

/** Returns the dark modules as one path, row by row, and the number of modules of a side. */
export function qrPath(text: string): { readonly size: number; readonly path: string } {
  // Type 0 is the smallest that fits. Level M corrects 15 % of damage, which is usual for screens.
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  let path = "";
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      if (code.isDark(row, column)) path += `M${column} ${row}h1v1h-1z`;
    }
  }
  return { size, path };
}
