# SPDX-License-Identifier: MIT
# Turns the measurements of scripts/bench into a Markdown table, or into JSON with -v format=json.
# The input is described in processes.bash. Sample I of a key was measured in round I, so the ratio
# of two keys is taken round by round.

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
	if ($1 == "row")
		name[$5] = $3
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

# Three significant digits are more than such a measurement has.
function short(x) {
	return x >= 100 ? sprintf("%.0f", x) : sprintf("%.3g", x)
}

function quoted(text) {
	gsub(/[\\"]/, "\\\\&", text)
	return "\"" text "\""
}

function markdown_row(i,   spread) {
	if (kind[i] == "skip") {
		printf "| %s | skipped: %s | | | | |\n", what[i], why[i]
		return
	}
	summarise_values(key[i])
	printf "| %s | %s%s | %s..%s |", what[i], short(median), (unit[i] ? " " unit[i] : ""),
		short(least), short(greatest)
	if (base[i] == "") {
		print " | | |"
		return
	}
	summarise_ratios(key[i], base[i])
	printf " **%.2f** | %.2f..%.2f | %s |\n", median, least, greatest, name[base[i]]
}

function print_markdown(   i) {
	print "What tracing costs: " machine
	for (i = 1; i <= rows; i++) {
		if (i == 1 || section[i] != section[i - 1]) {
			printf "\n| %s | median | min..max | ratio | min..max | to |\n", section[i]
			print "|---|---:|---:|---:|---:|---|"
		}
		markdown_row(i)
	}
	print "\nTimes of calls and launches are CPU time of the calling thread, one call. Those of completions are what passed."
	for (i = 1; i <= notes; i++)
		print "\nNote: " note[i]
}

function json_numbers() {
	return sprintf("\"median\": %.6g, \"min\": %.6g, \"max\": %.6g", median, least, greatest)
}

function json_row(i) {
	printf "    {\"section\": %s, \"what\": %s, ", quoted(section[i]), quoted(what[i])
	if (kind[i] == "skip") {
		printf "\"skipped\": %s}", quoted(why[i])
		return
	}
	summarise_values(key[i])
	printf "\"key\": %s, \"unit\": %s, %s", quoted(key[i]), quoted(unit[i]), json_numbers()
	if (base[i] != "") {
		summarise_ratios(key[i], base[i])
		printf ", \"ratio\": {\"to\": %s, %s}", quoted(base[i]), json_numbers()
	}
	printf "}"
}

function print_json(   i) {
	printf "{\n  \"machine\": %s,\n  \"rows\": [\n", quoted(machine)
	for (i = 1; i <= rows; i++) {
		json_row(i)
		print (i < rows ? "," : "")
	}
	printf "  ],\n  \"notes\": ["
	for (i = 1; i <= notes; i++)
		printf "%s%s", (i > 1 ? ", " : ""), quoted(note[i])
	print "]\n}"
}

END {
	if (format == "json")
		print_json()
	else
		print_markdown()
}
