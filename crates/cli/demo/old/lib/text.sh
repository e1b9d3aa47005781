# Lays out a receipt.
row() {
    printf '%-16s%10s\n' "$1" "$2"
}
