#!/bin/sh
# Prints a receipt for lines of quantity, price in cents and name.
. lib/money.sh
. lib/tax.sh
. lib/text.sh

total=0
while read -r quantity price name; do
    sum=$((quantity * price))
    total=$((total + sum))
    row "$quantity $name" "$(money $sum)"
done
row "Tax" "$(money $(tax $total))"
row "Total" "$(money $((total + $(tax $total))))"
