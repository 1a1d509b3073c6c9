# SPDX-License-Identifier: MIT
# Does a program grow? Lines `SECOND KIB DESCRIPTORS`, at equal intervals: what it had then. Each quantity has grown
# if its median in the last quarter of the time is above that in the second quarter by more than a tenth and SLACK:
# 2 MiB, 4 descriptors. (In the first quarter a program fills its buffers.) Says both; status 1 if anything has grown.

{ memory[NR] = $2; descriptors[NR] = $3 }

function median(of, from, to,   i, k, n, t, sorted) {
	for (i = from; i <= to; i++) {
		for (k = n++; k > 0 && sorted[k - 1] > of[i]; k--) sorted[k] = sorted[k - 1]
		sorted[k] = of[i]
	}
	return sorted[int((n - 1) / 2)]
}

function judge(what, of, unit, slack,   before, after, tenth) {
	before = median(of, int(NR / 4) + 1, int(NR / 2))
	after = median(of, int(3 * NR / 4) + 1, NR)
	tenth = of[int((NR + 9) / 10)]
	grown = after > before * 1.1 + slack
	printf "%s: %.1f at 10 %%, %.1f at the end; median of the second quarter %.1f, of the last %.1f: %s\n", what,
		tenth / unit, of[NR] / unit, before / unit, after / unit, grown ? "GROWN" : "steady"
	bad += grown
}

END {
	if (NR < 8) { print "growth: too few samples, " NR; exit 1 }
	judge("memory (MiB)", memory, 1024, 2048)
	judge("descriptors", descriptors, 1, 4)
	exit bad > 0
}
