#!/usr/bin/env bash
# Runs vitrine deploy with the inputs of the action, which come as variables: no input is part of a command's text.
set -euo pipefail

arguments=(--site "$SITE")
case $PREVIEW in
  "" | false) ;;
  true) arguments+=(--preview) ;;
  *) arguments+=("--preview=$PREVIEW") ;;
esac
if [ -n "$EXPIRES" ]; then arguments+=("--expires=$EXPIRES"); fi
if [ -n "$MESSAGE" ]; then arguments+=("--message=$MESSAGE"); fi
if [ "$COMMENT" = true ]; then arguments+=(--comment); fi
# Without a token, the command exchanges the run's ID token.
if [ -z "$VITRINE_TOKEN" ]; then unset VITRINE_TOKEN; fi
if command -v vitrine >/dev/null; then
  exec vitrine deploy "${arguments[@]}" -- "$DEPLOY_PATH"
fi
exec npx --yes "${VITRINE_SERVER%/}/vitrine.tgz" deploy "${arguments[@]}" -- "$DEPLOY_PATH"
