package area

// Used runs.
func Used(n int) int {
	if n > 5 {
		return -1
	}
	return n * 2
}

// Unused does not.
func Unused(n int) int {
	m := n
	return m + 1
}
