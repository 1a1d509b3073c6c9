# SPDX-License-Identifier: MIT
# A job with GPU operations, and how its trace compares with the simulator's truth log and with its calls.

# Starts the long-running job; its GPU work and counted calls begin when `go` is called.
start_job() {
	fresh out job.err
	sim_exec SIMKFD_TRUTH="$T/truth" SIMKFD_DRIFT_PPM=200 "$@" --go "$T/go" \
		>"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
}

# A job of another user, whose HIP only that user may read.
start_private_job() {
	local hip

	hip=$(ldd "$O/workloads/job" | awk '/libamdhip64/ { print $3 }')
	chmod o+x "$BATS_RUN_TMPDIR" "$T"
	mkdir -m 700 "$T/u"
	cp -L "$hip" "$T/u/"
	chown -R 12345:12345 "$T/u"
	setpriv --reuid 12345 --regid 12345 --clear-groups env LD_PRELOAD="$O/libsimkfd.so" \
		SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" SIMKFD_TRUTH="$T/u/truth" LD_LIBRARY_PATH="$T/u" \
		HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job" --go "$T/go" -n 30 -t 2 >"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	grep -q "$T/u/libamdhip64" "/proc/$job/maps"
}

go() {
	awk '{printf "%.0f\n", $1 * 1e9}' /proc/uptime >"$T/go.at"
	touch "$T/go"
}

# truth_since_go TRUTH: the truth log from go on, as truth.go.
truth_since_go() {
	awk -v at="$(cat "$T/go.at")" '{ for (i = 1; i <= NF; i++) if ($i ~ /^begin=/) b = substr($i, 7)
		if (b + 0 >= at + 0) print }' "$1" >"$T/truth.go"
}

# check_truth_between TRUTH TRACE: of the truth log what lies between the first and the last operation of the
# trace, of a program that does one thing after the other. LEAST: so many there must be, and one more.
check_truth_between() {
	traced_ops "$2" | cut -f5 | sort -n | sed -n '1p;$p' >"$T/edges"
	awk -v edges="$(tr '\n' ' ' <"$T/edges")" 'BEGIN { split(edges, at, " ") }
		{ for (i = 1; i <= NF; i++) if ($i ~ /^begin=/) b = substr($i, 7) + 0
		  if (b >= at[1] - 1000 && b <= at[2] + 1000) print }' "$1" >"$T/truth.part"
	check_truth "$T/truth.part" "$2"
	[ "$(wc -l <"$T/traced")" -gt "${LEAST:-20}" ]
}

# The trace's operations, one a line: KIND DEVICE NAME BYTES BEGIN END (ns; names with _ for blanks)
traced_ops() {
	jq -r '.traceEvents[] | select(.cat == "gpu" and .ph == "X") |
		[if .args.bytes == null then "dispatch" else "copy" end, .args.device,
		 if .args.bytes == null then (.name | gsub(" "; "_")) else "-" end, .args.bytes // 0,
		 (.ts * 1000 | round), ((.ts + .dur) * 1000 | round)] | @tsv' "$1" |
		sort -k1,1 -k2,2n -k3,3 -k4,4n -k5,5n
}

# The same from the truth log. Packets of one copy have one operation number; nameless blits are how
# the HSA runtime carries out copies by kernel, and are copies too. But for its own uploads of code:
# behind those the runtime has the caches flushed, by a pm4 packet.
true_ops() {
	awk '
		function get(key,   i, kv) {
			for (i = 1; i <= NF; i++) { split($i, kv, "="); if (kv[1] == key) return kv[2] }
		}
		get("kind") == "dispatch" {
			print "dispatch", get("gpu"), get("kernel"), 0, get("begin"), get("end")
		}
		{ q = get("pid") " " get("gpu") " " get("queue") }
		get("kind") == "copy" || get("kind") == "blit" {
			k = q " " get("op")
			if (!(k in bytes)) { begin[k] = get("begin"); gpu[k] = get("gpu") }
			bytes[k] += get("bytes"); end[k] = get("end")
			blit[q] = k; behind[q] = get("n") + 1
		}
		get("kind") == "pm4" && q in blit && behind[q] == get("n") { delete bytes[blit[q]] }
		END { for (k in bytes) print "copy", gpu[k], "-", bytes[k], begin[k], end[k] }' "$1" |
		c++filt | awk '{ k = $3; for (i = 4; i <= NF - 3; i++) k = k "_" $i
			print $1 "\t" $2 "\t" k "\t" $(NF-2) "\t" $(NF-1) "\t" $NF }' |
		sort -k1,1 -k2,2n -k3,3 -k4,4n -k5,5n
}

# Has HIP ended the program, which is to be run again then? Where HIP 5.2 takes times, a thread of HSA's may tell it of the
# last work of a stream that another thread is destroying: the signal that it reads then is gone, which HSA asserts.
# With HIP_FORCE_QUEUE_PROFILING=1 and no tool some runs of `streams` in a thousand end so, too.
hip_ended_it() {
	grep 'hsa_signal_load_relaxed.*IsValid(signal)' "$T/err" || return 1
	# shellcheck disable=SC2115 # the folder's name is never empty
	inconclusive "HIP's own assertion has ended the program" || rm -rf "$T/truth" "$T/files"/*
}

# same_dispatches RAN TOLD NAMELESS: as many lines `BEGIN END NAME` in both files. What is told of ran, within 1 us, by that
# name, unless it is told of as NAMELESS. (Of two GPUs what is the first by one clock may not be by another.)
same_dispatches() {
	[ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] && awk -v ran="$1" -v nameless="$3" '
		function apart(a, b) { return a > b ? a - b : b - a }
		FILENAME == ran { begin[++n] = $1; end[n] = $2; name[n] = $3; next }
		{
			for (i = 1; i <= n; i++)
				if (!used[i] && apart(begin[i], $1) <= 1000 && apart(end[i], $2) <= 1000 && ($3 == name[i] || $3 == nameless))
					break
			if (i > n && ++bad <= 5) print "never ran: " $0
			used[i] = 1
		}
		END { exit bad > 0 }' "$1" "$2"
}

# Every operation of the truth log is in the trace exactly once, with its name, device, bytes, and
# times within 1 us.
check_truth() {
	local truth=$1 trace=$2

	true_ops "$truth" >"$T/true"
	traced_ops "$trace" >"$T/traced"
	[ -s "$T/true" ]
	diff <(cut -f1-4 "$T/true") <(cut -f1-4 "$T/traced") >"$T/diff" || {
		head -n 20 "$T/diff"
		[ ! -e "$T/err" ] || tail -n 5 "$T/err"
		return 1
	}
	paste "$T/true" "$T/traced" | awk -F '\t' '
		function apart(a, b) { return a > b ? a - b : b - a }
		{ d = apart($5, $11); e = apart($6, $12); if (e > d) d = e; if (d > worst) worst = d
		  if (d > 1000) { bad++; if (bad <= 5) print "off by " d " ns: " $0 } }
		END { print "worst " worst " ns of " NR " operations"; exit bad > 0 }' || return 1
	judge "$truth" "$trace"
}

# Every operation hangs below a HIP call that launches or copies, in the time of that call, on a chain
# of calls from its innermost (corr) to its outermost (root).
check_causes() {
	jq -r '.traceEvents[] | select(.cat == "gpu" and .ph == "X") |
		["op", .name, .args.corr, .args.root, (.args.submit * 1000 | round)] | @tsv' "$1" >"$T/ops"
	[ -s "$T/ops" ]
	calls "$1" | cat - "$T/ops" | awk -F '\t' -v re="${CAUSES:-^hip(LaunchKernel|ModuleLaunchKernel|ExtLaunchKernel|ExtModuleLaunchKernel|HccModuleLaunchKernel|Memcpy|Memset|GraphLaunch)}" '
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		$1 != "op" { name[$2] = $1; parent[$2] = $3; begin[$2] = $7; end[$2] = $8; next }
		{ inner = $3; outer = $4; at = $5 }
		!(inner in name) || !(outer in name) { wrong("no such call"); next }
		parent[outer] != 0 || name[outer] !~ re { wrong("not caused by a launch or copy, but " name[outer]) }
		at < begin[inner] || at > end[inner] { wrong("not submitted inside " name[inner]) }
		{ for (c = inner; c && c != outer; c = parent[c]); if (c != outer) wrong("not below its outermost call") }
		END { exit bad > 0 }'
}

# What the calls say of their operations holds for the operations: the kernel, the size of the grid (the
# workloads launch each stream with a size of its own), the stream (a number stands for one handle of one
# thing, and the other way round), and their ordinals count them from 0 without a gap.
check_streams() {
	jq -r '.traceEvents[] | select(.ph == "X") | select(.cat == "gpu" or (.cat == "hip" and .args.parent == 0)) |
		if .cat == "gpu" then ["op", .args.root, .name, .args.grid[0] // 0, .args.stream // "-", .args.ordinal]
		else ["call", .args.corr, .name, .args.kernel // "-", .args.call.numBlocks // "-",
			.args.call.dimBlocks // "-", .args.call.stream // "default"] end | @tsv' "$1" >"$T/streams"
	cat "$T/streams" "$T/streams" | awk -F '\t' '
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		function x(dim) { sub(/.*x=/, "", dim); return dim + 0 }
		$1 == "call" { name[$2] = $3; kernel[$2] = $4; grid[$2] = x($5) * x($6); stream[$2] = $7; next }
		NR <= n / 2 || !($2 in name) { next }
		{ ops++; root = $2; s = stream[root]; if (s == "0x0") s = "default"
		  if (name[root] == "hipLaunchKernel") {
			launched++
			if (kernel[root] != $3) wrong("launched as " kernel[root])
			if (grid[root] != $4) wrong("launched with " grid[root])
		  }
		  if (s in number && number[s] != $5) wrong("stream " s " was number " number[s])
		  if ($5 in handle && handle[$5] != s) wrong("number " $5 " was stream " handle[$5])
		  number[s] = $5; handle[$5] = s
		  seen[root, $6]++; count[root]++; if (seen[root, $6] > 1) wrong("ordinal twice") }
		END { for (key in seen) { split(key, part, SUBSEP); if (part[2] >= count[part[1]]) wrong("ordinals with a gap below " part[1]) }
		  exit bad > 0 || !ops }' n="$(($(wc -l <"$T/streams") * 2))"
}

# Begin and end events balance; flows start once and end once.
check_balance() {
	jq -e '
		[.traceEvents[].ph] as $ph |
		def n($x): $ph | map(select(. == $x)) | length;
		n("B") == n("E") and n("b") == n("e") and n("s") == n("f") and
		([.traceEvents[] | select(.ph == "s") | .id] | unique | length) == n("s")' "$1" >/dev/null
}

# What the workload (and its children) printed as "calls NAME N" is in the trace, function by function:
# the calls that the application made itself, which have no parent. With a pattern: only functions
# that match it. CALLERS: also those inside of functions that match this, which call the application back;
# what else is called in a call is the runtime's doing, and differs from release to release.
check_counts() {
	local out=$1 trace=$2 pattern=${3:-.}

	calls "$trace" | awk -F '\t' -v callers="${CALLERS:-^$}" '{ name[$2] = $1; parent[$2] = $3 }
		END { for (c in name) if (parent[c] == 0 || name[parent[c]] ~ callers) print name[c] }' |
		sort | uniq -c | awk '{print $2, $1}' >"$T/counted"
	# HIP 6's headers give functions that have changed another name (R0600), which is not traced.
	awk -v re="$pattern" '$1 == "calls" && $2 ~ re {sub(/R0[0-9]+$/, "", $2); n[$2] += $3} END {for (f in n) print f, n[f]}' "$out" |
		sort >"$T/made"
	[ -s "$T/made" ]
	awk 'NR == FNR { n[$1] = $2; next }
		n[$1] + 0 != $2 { print "made " $2 " calls of " $1 ", traced " n[$1] + 0; bad = 1 }
		END { exit bad }' "$T/counted" "$T/made"
}

# outcome FILE COMMAND...: what a program prints, but for times, and its exit status.
outcome() {
	local file=$1 status=0

	shift
	"$@" >"$file.out" 2>"$file.err" || status=$?
	grep -v '^elapsed' "$file.out" >"$file"
	echo "status $status" >>"$file"
}
