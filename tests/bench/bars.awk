# SPDX-License-Identifier: MIT
# Makes a table for gnuplot of the measurements that samples.awk has read: a line for each way to
# capture the calls of a process, a column for each kind of function. With -v of=ratio it is of ratios
# to the floor, else of nanoseconds. What was not measured is a question mark.

function cell(k, b) {
	if (!count[k])
		return "?"
	if (of == "ratio")
		summarise_ratios(k, b)
	else
		summarise_values(k)
	return sprintf("%.4g", median)
}

END {
	sites = split("push nop5 sub placed", site, " ")
	ways = split("untraced floor traced count histogram perf", way, " ")
	split("untraced,empty BPF program,rtrace-bpf,bpftrace count,bpftrace histogram,perf probe", label, ",")
	printf "way"
	for (s = 1; s <= sites; s++)
		printf "\t%s", site[s]
	print ""
	for (w = of == "ratio" ? 2 : 1; w <= ways; w++) {
		printf "%s", label[w]
		for (s = 1; s <= sites; s++)
			printf "\t%s", cell(way[w] "." site[s] ".1", "floor." site[s] ".1")
		print ""
	}
}
