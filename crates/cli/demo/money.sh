# Shows cents as an amount.
money() {
    printf '%d.%02d' $(($1 / 100)) $(($1 % 100))
}
