import { type CommandWords, pathsOf } from "./words.ts";

/** Returns the completion script for fish. Commands with commands below them take no file names, the others do. */
export function fishScript(words: readonly CommandWords[]): string {
  const lines = words.flatMap(({ path, commands, options }) => {
    const here = `complete -c vitrine -n ${quoted(`__vitrine_at ${path}`.trim())}`;
    return [
      ...commands.map(({ word, help }) => `${here} -f -a ${word} -d ${quoted(help)}`),
      ...options.map(
        ({ word, help, takesValue }) => `${here} -l ${word.slice(2)} ${takesValue ? "-r " : ""}-d ${quoted(help)}`,
      ),
    ];
  });
  return `# fish completion for vitrine: vitrine completion fish | source
function __vitrine_at
  set -l at
  for word in (commandline -opc)[2..]
    switch (string join ' ' -- $at $word)
      case ${pathsOf(words).map(quoted).join(" ")}
        set -a at $word
    end
  end
  test "$at" = "$argv"
end
${lines.join("\n")}`;
}

/** fish knows two escapes in single quotes: the quote and the backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
