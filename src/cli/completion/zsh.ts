import { type Choice, type CommandWords, pathsOf, quoted } from "./words.ts";

/** Returns the completion script for zsh, to be sourced or put into a folder of `fpath` as `_vitrine`. */
export function zshScript(words: readonly CommandWords[]): string {
  const described = (choices: readonly Choice[]) =>
    choices.map(({ word, help }) => quoted(`${word.replaceAll(":", "\\:")}:${help}`)).join(" ");
  const rows = words.map(
    ({ path, commands, options }) =>
      `    ${quoted(path)}) commands=(${described(commands)}); options=(${described(options)}) ;;`,
  );
  const valued = words.flatMap(({ options }) => options.filter(({ takesValue }) => takesValue));
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
    ${[...new Set(valued.map(({ word }) => word))].join("|")}) _files; return ;;
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
