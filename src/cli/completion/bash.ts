import { type CommandWords, pathsOf, quoted } from "./words.ts";

/** Returns the completion script for bash. Where no word fits, `-o default` completes file names. */
export function bashScript(words: readonly CommandWords[]): string {
  const listed = (choices: readonly { readonly word: string }[]) => quoted(choices.map(({ word }) => word).join(" "));
  const rows = words.map(
    ({ path, commands, options }) => `    ${quoted(path)}) commands=${listed(commands)} options=${listed(options)} ;;`,
  );
  const valued = words.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue));
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
    ${[...new Set(valued.map(({ word }) => word))].join("|")}) return ;;
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
