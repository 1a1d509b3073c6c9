# SPDX-License-Identifier: MIT
# Processes in containers of our own making: mount and pid namespaces, and a root folder by overlayfs.

# The root of the control groups of version 2, or nothing.
cgroup_root() {
	findmnt -n -t cgroup2 -o TARGET | head -n 1
}

GROUPS_MADE=()

# A control group of that name for this test; its path is in GROUP, empty if none can be made.
make_group() {
	local root

	root=$(cgroup_root)
	GROUP=
	[ -n "$root" ] && mkdir "$root/rtrace-node-$$-$1" 2>/dev/null || return 0
	GROUP=$root/rtrace-node-$$-$1
	GROUPS_MADE+=("$GROUP")
}

remove_groups() {
	local group

	for group in "${GROUPS_MADE[@]}"; do
		wait_for rmdir "$group" || :
	done
}

# contain NAME LOWER COPIES COMMAND...: in place of the shell that it runs in, COMMAND in a container whose
# root is an overlay over the folder LOWER. The files COPIES (words) are in it as copies. It shares this
# test's folder and, if LOWER is /, the build's. COMMAND is not the first process of the namespace.
contain() {
	local name=$1 lower=$2 copies=$3 share=$T

	shift 3
	[ "$lower" != / ] || share="$share $O"
	[ -z "$GROUP" ] || echo "$BASHPID" >"$GROUP/cgroup.procs"
	mkdir "$T/$name"
	# shellcheck disable=SC2016 # for the inner shell
	exec unshare --mount --propagation private --pid --fork --kill-child sh -ec '
		dir=$1 lower=$2 copies=$3 share=$4; shift 4
		mount -t tmpfs none "$dir"
		mkdir "$dir/upper" "$dir/work" "$dir/root"
		for f in $copies; do mkdir -p "$dir/upper${f%/*}"; cp "$f" "$dir/upper$f"; done
		mount -t overlay none -o "lowerdir=$lower,upperdir=$dir/upper,workdir=$dir/work" "$dir/root"
		for d in $share /sys /dev; do mkdir -p "$dir/root$d"; mount --rbind "$d" "$dir/root$d"; done
		mount -t proc proc "$dir/root/proc"
		exec chroot "$dir/root" sh -c "\"\$@\"; exit \$?" sh "$@"' sh \
		"$T/$name" "$lower" "$copies" "$share" "$@"
}

# Can there be such a container here? Otherwise says why.
containers_work() {
	(GROUP=; contain probe / "" true) >"$T/probe.err" 2>&1 || skip "no containers here: $(tail -n 1 "$T/probe.err")"
}

# The process that COMMAND of `contain` runs in, by the id of the shell that is now unshare.
contained_pid() {
	local init

	read -r -d " " init <"/proc/$1/task/$1/children" && child_of "$init" | grep .
}

# The trace of one process: what stands under its number, and the GPU operations that its calls caused.
only() {
	jq -c --argjson pid "$1" '
		(INDEX(.traceEvents[] | select(.pid == $pid and .ph == "X" and .args.corr); .args.corr | tostring)) as $calls |
		.traceEvents |= map(select(.pid == $pid or
			(.cat == "gpu" and .ph == "X" and $calls[.args.corr | tostring])))' "$T/t.json"
}

# The tracer of the whole node; its traces are t.json and t.text. When it names what it has found, the
# process WITNESS among them, the trace has begun.
start_node_tracer() {
	fresh witness err
	"$O/capture/edges" go 1 >"$T/witness" &
	WITNESS=$!
	JOBS_STARTED+=("$WITNESS")
	wait_for grep -q ready "$T/witness"
	"$RTRACE" -v -a -f json -f text -o "$T/t" "$@" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	has_found "$WITNESS"
}

stop_node_tracer() {
	kill -INT "$tracer"
	wait "$tracer"
	kill -KILL "$WITNESS"
	wait "$WITNESS" 2>/dev/null || :
}

# Calls of hipTestPlain of one process.
plain_of() {
	only "$1" >"$T/only.json"
	count "$T/only.json" hipTestPlain
}

# gap_of PID PATTERN: begin and end (ns) of the time in which calls of that file may have been missed
gap_of() {
	jq -r --argjson pid "$1" --arg file "$2" '.traceEvents[] | select(.pid == $pid and
		(.ph == "b" or .ph == "e") and (.name | contains($file) and test(" was (not )?probed"))) |
		.ts * 1000 | round' "$T/t.json" | sort -n | xargs
}

# calls_arrive PID FUNCTION: calls of a process that goes on are in the text, so its files have been probed
calls_arrive() {
	wait_for awk -v pid="$1" -v call="$2(" '$2 == pid && index($3, call) == 1 { found = 1; exit }
		END { exit !found }' "$T/t.text"
}

# What the process called, by number: all that it said, but for those in the gap; never one beyond it. It has made
# at least AFTER calls since the gap's end. Where the tracer was there in time there is no gap, and none is missing.
all_but_gap() {
	local pid=$1 function=$2 argument=$3 said=$4 after=$6 begin end

	read -r begin end < <(gap_of "$pid" "$5")
	jq -r --argjson pid "$pid" --arg name "$function" --argjson n "$argument" '.traceEvents[] |
		select(.pid == $pid and .name == $name) | .args.args[$n]' "$T/t.json" |
		while read -r n; do echo $((n)); done | sort -n >"$T/seen"
	[ "$(sort -u "$T/seen" | wc -l)" = "$(wc -l <"$T/seen")" ]
	awk -v begin="${begin:-0}" -v end="${end:-0}" -v least="$after" '
		NR == FNR { seen[$1] = 1; n++; next }
		$1 == "call" { said++; if ($3 > end) after++; if ($2 in seen) found++
			else if ($3 < begin || $3 > end) { print "call " $2 " is missing and not in the gap"; bad = 1 } }
		END { print n " seen of " said ", " after " after a gap of " (end - begin) / 1e6 " ms"
			exit bad || found != n || after < least }' \
		"$T/seen" "$said"
	echo $((end - begin)) >>"$T/gaps"
}

# A copy of the programs of tests/capture with their libraries: files that nobody else has.
copy_capture() {
	mkdir "$T/$1"
	cp "$O"/capture/{edges,windows,lib*.so.99} "$T/$1"
}

# start_check EXECUTABLE FILE: a program of that name, one more of `checks`, that compares the file's code until the test says so.
start_check() {
	local out=$T/${#checks[@]}.out

	cp -n "$O/workloads/text_check" "$T/$1"
	"$T/$1" "$2" "$T/compared" >"$out" &
	JOBS_STARTED+=("$!")
	checks+=("$!")
	wait_for grep -q ready "$out"
}

# They have found that the code was always as in the file.
checks_pass() {
	touch "$T/compared"
	for i in "${!checks[@]}"; do wait "${checks[i]}" || { cat "$T/$i.out" && return 1; }; done
}
