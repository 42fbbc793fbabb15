#!/bin/sh
# Drives a model of one's own through the loop with nothing but a shell.
# Usage: loop.sh DOCUMENT MODEL [ARGUMENTS OF loopctl next]
# The "model" is a folder with its answers: 0.json, 1.json, …
set -eu
document=$1 model=$2
shift 2
step=$(mktemp)
trap 'rm -f "$step"' EXIT
history=
turn=0
while :; do
    printf '{"document": {"path": "%s"}, "history": [%s]}' "$document" "$history" |
        "${LOOPCTL:-loopctl}" next "$@" >"$step" || [ $? = 3 ]
    if grep -q '^  "outcome"' "$step"; then
        break
    fi
    # A real model would be sent `request.messages` of "$step", and the time and the tokens that it took would go
    # into the history, too.
    answer=$(cat "$model/$turn.json")
    history="$history${history:+, }{\"candidate\": $answer}"
    turn=$((turn + 1))
done
for field in final_status stop_reason best_iteration; do
    sed -n "s/^    \"$field\": \"*\([a-z0-9_]*\).*/$field \1/p" "$step"
done
