# SPDX-License-Identifier: MIT
# Reads the measurements of scripts/bench, for what is made of them. The input is described in
# processes.bash. Sample I of a key was measured in round I, so what two keys have to do with each
# other is taken round by round.

BEGIN {
	FS = "\t"
}

$1 == "sample" {
	value[$2, ++count[$2]] = $3
}

$1 == "row" || $1 == "skip" {
	kind[++rows] = $1
	section[rows] = $2
	what[rows] = $3
	unit[rows] = why[rows] = $4
	key[rows] = $5
	base[rows] = $6
	target[rows] = $7
	if ($1 == "row")
		name[$2, $5] = $3
}

$1 == "note" && !($2 in noted) {
	noted[$2] = 1
	note[++notes] = $2
}

$1 == "machine" {
	machine = $2 " " $3
}

# Sorts v[1..n] and leaves its median, least and greatest in `median`, `least`, `greatest`.
function summarise(v, n,   i, j, x) {
	for (i = 2; i <= n; i++) {
		x = v[i]
		for (j = i - 1; j >= 1 && v[j] > x; j--)
			v[j + 1] = v[j]
		v[j + 1] = x
	}
	median = n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	least = v[1]
	greatest = v[n]
}

function summarise_values(k,   i, v) {
	for (i = 1; i <= count[k]; i++)
		v[i] = value[k, i] + 0
	summarise(v, count[k])
}

function summarise_ratios(k, b,   i, n, v) {
	for (i = 1; i <= count[k] && i <= count[b]; i++)
		if (value[b, i] + 0 > 0)
			v[++n] = value[k, i] / value[b, i]
	summarise(v, n)
}

function summarise_added(k, b,   i, n, v) {
	for (i = 1; i <= count[k] && i <= count[b]; i++)
		v[++n] = value[k, i] - value[b, i]
	summarise(v, n)
}
