# The tax on an amount in cents, by the rate in percent.
rate=${TAX_RATE:-19}

tax() {
    echo $(($1 * rate / 100))
}
