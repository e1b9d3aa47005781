# The tax on an amount, in cents.
rate=19

tax() {
    # Half a cent and more is rounded up.
    echo $((($1 * rate + 50) / 100))
}
