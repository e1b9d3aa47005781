#!/bin/sh
# Prints a receipt for lines of quantity, price in cents and name,
# sorted as they come.
. lib/money.sh
. lib/tax.sh
. lib/text.sh
. lib/discount.sh

total=0
items=0
while read -r quantity price name; do
    sum=$((quantity * price - $(discount $quantity $price)))
    total=$((total + sum))
    items=$((items + quantity))
    row "$quantity x $name" "$(money $sum)"
done
line
row "Items" "$items"
row "Tax" "$(money $(tax $total))"
row "Total" "$(money $((total + $(tax $total))))"
