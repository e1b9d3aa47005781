# Lays out a receipt, 32 characters wide.
row() {
    printf '%-22s%10s\n' "$1" "$2"
}

line() {
    echo "--------------------------------"
}
