import type { Command } from "commander";
import { UsageError } from "../terminal/errors.ts";
import type { Terminal } from "../terminal/terminal.ts";

const SCRIPTS = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

/** Prints a completion script that is generated from the command tree. */
export async function printCompletion(terminal: Terminal, shell: string, program: Command): Promise<void> {
  const script = SCRIPTS.get(shell);
  if (!script)
    throw new UsageError(`there is no completion script for ${shell}`, `Use one of ${[...SCRIPTS.keys()].join(", ")}.`);
  terminal.data(script(wordsOf(program)));
}

interface Choice {
  readonly word: string;
  readonly help: string;
}

/** A command with its possible completions. */
interface CommandWords {
  /** The command path, such as `users add`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly Choice[];
  readonly options: readonly (Choice & { readonly takesValue: boolean })[];
}

/** Returns a command and all its subcommands with their completions. */
function wordsOf(command: Command, path = ""): readonly CommandWords[] {
  const own: CommandWords = {
    path,
    commands: command.commands.map((child) => ({ word: child.name(), help: child.description() })),
    options: [
      ...command.options.map((option) => ({
        word: option.long ?? option.flags,
        help: option.description,
        takesValue: option.required,
      })),
      { word: "--help", help: "show this help", takesValue: false },
    ],
  };
  return [own, ...command.commands.flatMap((child) => wordsOf(child, `${path} ${child.name()}`.trim()))];
}

function pathsOf(words: readonly CommandWords[]): readonly string[] {
  return words.map(({ path }) => path).filter((path) => path !== "");
}

/** Returns the options that take a value, as a pattern of bash and zsh. */
function valuedPattern(words: readonly CommandWords[]): string {
  const valued = words.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue));
  return [...new Set(valued.map(({ word }) => word))].join("|");
}

/** Quotes a text for bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns the completion script for bash. If no word fits, `-o default` completes file names. */
function bashScript(words: readonly CommandWords[]): string {
  const listed = (choices: readonly { readonly word: string }[]) => quoted(choices.map(({ word }) => word).join(" "));
  const rows = words.map(
    ({ path, commands, options }) => `    ${quoted(path)}) commands=${listed(commands)} options=${listed(options)} ;;`,
  );
  return `# bash completion for vitrine: source <(vitrine completion bash)
_vitrine() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local at="" word commands="" options=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${pathsOf(words).map(quoted).join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  COMPREPLY=()
  case "$previous" in
    ${valuedPattern(words)}) return ;;
  esac
  case "$at" in
${rows.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$commands" -- "$current")) ;;
  esac
}
complete -o default -F _vitrine vitrine`;
}

/** Returns the completion script for zsh, to be sourced or put into a folder of `fpath` as `_vitrine`. */
function zshScript(words: readonly CommandWords[]): string {
  const described = (choices: readonly Choice[]) =>
    choices.map(({ word, help }) => quoted(`${word.replaceAll(":", "\\:")}:${help}`)).join(" ");
  const rows = words.map(
    ({ path, commands, options }) =>
      `    ${quoted(path)}) commands=(${described(commands)}); options=(${described(options)}) ;;`,
  );
  return `#compdef vitrine
# zsh completion for vitrine: source <(vitrine completion zsh)
_vitrine() {
  local at="" word
  local -a commands options
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${pathsOf(words).map(quoted).join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
    ${valuedPattern(words)}) _files; return ;;
  esac
  case "$at" in
${rows.join("\n")}
  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( $#commands )); then
    _describe command commands
  else
    _files
  fi
}
if [[ $funcstack[1] == _vitrine ]]; then
  _vitrine "$@"
else
  compdef _vitrine vitrine
fi`;
}

/** Returns the completion script for fish. Only commands without subcommands complete file names. */
function fishScript(words: readonly CommandWords[]): string {
  const lines = words.flatMap(({ path, commands, options }) => {
    const here = `complete -c vitrine -n ${fishQuoted(`__vitrine_at ${path}`.trim())}`;
    return [
      ...commands.map(({ word, help }) => `${here} -f -a ${word} -d ${fishQuoted(help)}`),
      ...options.map(
        ({ word, help, takesValue }) => `${here} -l ${word.slice(2)} ${takesValue ? "-r " : ""}-d ${fishQuoted(help)}`,
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

/** fish has two escapes in single quotes: the quote and the backslash. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
