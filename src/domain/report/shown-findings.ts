/** Returns where a finding is: a file, with its line. */
export function placeOf({ file, line }: { readonly file: string; readonly line: number }): string {
  return line > 0 ? `${file}:${line}` : file;
}

/** Returns findings in the order for people, who look for new ones first. */
export function newFirst<F extends { readonly new: boolean }>(findings: readonly F[]): readonly F[] {
  return [...findings.filter((finding) => finding.new), ...findings.filter((finding) => !finding.new)];
}
