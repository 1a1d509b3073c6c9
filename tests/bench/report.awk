# SPDX-License-Identifier: MIT
# Makes a Markdown table, or with -v format=json JSON, of the measurements that samples.awk has read.
# A target that is met or missed is said so, no more.

# Three significant digits are more than such a measurement has.
function short(x) {
	return x >= 100 ? sprintf("%.0f", x) : sprintf("%.3g", x)
}

function quoted(text) {
	gsub(/[\\"]/, "\\\\&", text)
	return "\"" text "\""
}

# Leaves what row i is to keep to in `of`, `limit`, and what it has come to in `reached`, `met`.
function judge(i,   part) {
	split(target[i], part, " ")
	of = part[1]
	limit = part[2] " " part[3]
	if (of == "ratio")
		summarise_ratios(key[i], base[i])
	else if (of == "added")
		summarise_added(key[i], base[i])
	else
		summarise_values(key[i])
	reached = median
	if (part[2] == "<")
		met = reached < part[3] + 0
	else if (part[2] == "<=")
		met = reached <= part[3] + 0
	else
		met = reached >= part[3] + 0
}

function markdown_target(i) {
	judge(i)
	return (of == "added" ? "adds " short(reached) ", " : "") limit ": " (met ? "met" : "missed")
}

function markdown_row(i) {
	if (kind[i] == "skip") {
		printf "| %s | skipped: %s | | | | | |\n", what[i], why[i]
		return
	}
	summarise_values(key[i])
	printf "| %s | %s%s | %s..%s |", what[i], short(median), (unit[i] ? " " unit[i] : ""),
		short(least), short(greatest)
	if (base[i] == "") {
		printf " | | |"
	} else {
		summarise_ratios(key[i], base[i])
		printf " **%.2f** | %.2f..%.2f | %s |", median, least, greatest, name[section[i], base[i]]
	}
	print (target[i] == "" ? "" : " " markdown_target(i)) " |"
}

function print_markdown(   i) {
	print "What tracing costs: " machine
	for (i = 1; i <= rows; i++) {
		if (i == 1 || section[i] != section[i - 1]) {
			printf "\n| %s | median | min..max | ratio | min..max | to | target |\n", section[i]
			print "|---|---:|---:|---:|---:|---|---|"
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
	if (target[i] != "") {
		judge(i)
		printf ", \"target\": {\"of\": %s, \"limit\": %s, \"reached\": %.6g, \"met\": %s}",
			quoted(of), quoted(limit), reached, (met ? "true" : "false")
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
