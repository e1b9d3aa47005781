# Every tenth of a kind is free.
discount() {
    echo $(($1 / 10 * $2))
}
