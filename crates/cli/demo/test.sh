#!/bin/sh
# Checks a receipt that is known to be right.
cd "$(dirname "$0")" || exit 125
receipt=$(printf '%s\n' '2 249 coffee' '1 1999 mug' '3 85 biscuit' | sh till.sh)
if [ $? -ne 0 ]; then
    echo "till.sh does not run"
    exit 125
fi
total=$(printf '%s\n' "$receipt" | tail -n 1 | tr -d ' ')
if [ "$total" != "Total32.75" ]; then
    printf '%s\n' "$receipt"
    echo "expected a total of 32.75"
    exit 1
fi
