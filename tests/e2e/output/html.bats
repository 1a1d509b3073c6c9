#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The page of -f html: its data and its tables are what JSON holds of the same trace; and it does in a browser what it
# should. Chromium loads it, runs its script and prints what became of the document; it is skipped where there is none.

load ../common
load ../gpu
load ../formats

PAGE=$E2E/page.py

needs_browser() {
	BROWSER=$(command -v chromium) || skip "no chromium"
}

# dom PAGE [#FRAGMENT]: PAGE.dom, after its script ran; which may not have met an error.
dom() {
	timeout "$(seconds 120)" "$BROWSER" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
		--disable-background-networking --window-size=1400,900 \
		--user-data-dir="$T/profile" --dump-dom "file://$1${2:-}" >"$1.dom" 2>"$T/browser"
	[ -z "$("$PAGE" text "$1.dom" errors)" ]
	[ "$("$PAGE" value "$1.dom" body ready)" = 1 ]
}

fails_to() {
	if "$@"; then
		return 1
	fi
}

# What the page shows as the number of that id.
shown() {
	"$PAGE" value "$T/t.html.dom" "$1" value
}

# What jq says of the page's data.
of() {
	jq -r "$1" "$T/data"
}

data() {
	"$PAGE" data "$T/t.html" >"$T/data"
}

# Each span of the page's data, one a line: KIND NAME BEGIN NS CORR (from the first one's begin; names that are
# escaped differ, so there may be none), and the same of JSON.
# shellcheck disable=SC2016 # variables of jq
spans_of_page() {
	of '.rows[] | .kind as $kind | .spans[] | select(.flags % 16 < 8 or $kind == "calls") |
		[(if $kind == "process ranges" then "ranges" else $kind end), .name, .begin, .ns,
		 (if $kind == "calls" or $kind == "queue" or $kind == "copies" then .corr else 0 end)] | @tsv' | sort
}

spans_of_json() {
	python3 -c '
import json, sys
from decimal import Decimal
trace = json.load(open(sys.argv[1]), parse_float=Decimal)
ns = lambda us: int(Decimal(us) * 1000)
events = [e for e in trace["traceEvents"] if e.get("cat")]
begins, spans, first = {}, [], []
for e in events:
    args, cat = e.get("args", {}), e["cat"]
    if cat == "gpu" and "submit" in args:
        first.append(ns(args["submit"]))
    first.append(ns(args.get("begin", e["ts"])))
    if e["ph"] == "b":
        begins[e["id"]] = ns(e["ts"])
    if cat == "submit" or e["ph"] not in ("X", "e") and not (cat == "roctx" and e["ph"] == "i"):
        continue
    begin = begins[e["id"]] if e["ph"] == "e" else ns(e["ts"])
    kind = "calls" if "args" in args else "ranges" if cat == "roctx" else "copies" if "bytes" in args else "queue"
    end = ns(e["ts"]) if e["ph"] == "e" else begin + ns(e.get("dur", 0))
    spans.append((kind, e["name"], begin, end - begin, 0 if kind == "ranges" else args["corr"]))
for kind, name, begin, length, corr in spans:
    print(kind, name, begin - min(first), length, corr, sep="\t")' "$1" | sort
}

# bats test_tags=slow
@test "the timeline has every span of a trace that is not too long" {
	for w in "job -n 30 -t 3" ranges graphs "copies -m 100000" errors; do
		echo "$w"
		record_formats html "$w"
		data
		spans_of_page >"$T/page"
		spans_of_json "$T/t.json" >"$T/want"
		[ -s "$T/want" ]
		diff "$T/want" "$T/page" | head -n 20
		cmp "$T/want" "$T/page"
		[ "$(of '.shown.calls.all')" = "$(jq .otherData.spans "$T/t.json")" ]
	done
	# Arguments and results are those of the text.
	[ "$(of '[.rows[] | .spans[] | select(.name == "hipMemcpy" and (.text | test("= hipErrorInvalidValue$")))] | length')" -gt 0 ]
}

# bats test_tags=slow
@test "tables and counts in the browser are what JSON tells" {
	needs_browser
	for w in "streams -g 2 -t 2 -s 2 -n 20" copies resources; do
		echo "$w"
		record_formats html "$w"
		dom "$T/t.html"
		sums_json "$T/t.json" | grep -v -e ^memory -e ^marker >"$T/sums.json"
		"$PAGE" sums "$T/t.html.dom" | LC_ALL=C sort >"$T/sums.html"
		LC_ALL=C sort -o "$T/sums.json" "$T/sums.json"
		same_sums "$T/sums.json" "$T/sums.html"
		[ "$(shown count-calls)" = "$(jq .otherData.spans "$T/t.json")" ]
		[ "$(shown count-dispatches)" = "$(jq .otherData.dispatches "$T/t.json")" ]
		[ "$(shown count-copies)" = "$(jq .otherData.copies "$T/t.json")" ]
		[ "$(shown copied)" = "$(awk -F '\t' '$1 == "copy" { n += $5 } END { print n + 0 }' "$T/sums.json")" ]
		# What reports say of GPUs: how long they were busy with kernels.
		"$RTRACE" report --json -o "$T/report" "$T/t.rtrace"
		data
		[ "$(of '[.gpus[] | .kernels_ns, .observed_ns, .gaps]')" = \
			"$(jq '[.gpus[] | .kernels_ns, .observed_ns, .queue_empty_times]' "$T/report")" ]
	done
	grep -q "Busy for " "$T/t.html.dom"
	# A call that failed is shown with its arguments.
	record_formats html errors
	dom "$T/t.html"
	"$PAGE" text "$T/t.html.dom" failure-table | grep -q 'hipMemcpy(.*) = hipErrorInvalidValue'
}

# bats test_tags=slow
@test "exported is what was written at once; one file, nothing from a network" {
	record_formats html ranges
	"$RTRACE" export -f html "$T/t.rtrace" -o "$T/e.html" 2>"$T/err"
	cmp "$T/t.html" "$T/e.html"
	"$RTRACE" export -f html -o - "$T/t.rtrace" | cmp - "$T/t.html"
	grep -qF "default-src 'none'" "$T/t.html"
	# Nothing is loaded: no addresses in the page, no elements that have one.
	sed '/^{"version":/d' "$T/t.html" >"$T/without_data"
	[ "$(wc -l <"$T/without_data")" = "$(($(wc -l <"$T/t.html") - 1))" ]
	fails_to grep -Ei 'https?:|(src|href)=|@import|url\(' "$T/without_data"
	fails 1 'output: /nonexistent/x: No such file' "$RTRACE" export -f html -o /nonexistent/x "$T/t.rtrace"
	(
		trap '' XFSZ
		ulimit -f 8
		fails 1 'output: write .*/x.html: File too large' "$RTRACE" export -f html -o "$T/x.html" "$T/t.rtrace"
	)
}

# bats test_tags=slow
@test "a call and what it caused" {
	needs_browser
	record_formats html graphs
	corr=$(calls "$T/t.json" | awk '$1 == "hipGraphLaunch" { print $2; exit }')
	dom "$T/t.html" "#call=$corr"
	ran=$(jq "[.traceEvents[] | select(.cat == \"gpu\" and .ph == \"X\" and .args.root == $corr)] | length" "$T/t.json")
	[ "$ran" -gt 1 ]
	[ "$("$PAGE" value "$T/t.html.dom" selection related)" = "$ran" ]
	"$PAGE" text "$T/t.html.dom" selection | grep -q '^hipGraphLaunch.*hipGraphLaunch(graphExec=0x.*) = hipSuccess'
	# A search: tables are filtered, spans are counted.
	dom "$T/t.html" "#q=GRAPHlaunch"
	[ "$(shown found)" = "$(count "$T/t.json" hipGraphLaunch)" ]
	"$PAGE" sums "$T/t.html.dom" >"$T/sums"
	[ "$(cut -f2 "$T/sums")" = hipGraphLaunch ]
}

# play SCRIPT: what becomes of the page if someone does that. Its policy forbids scripts that are not its own, so
# this copy has none.
play() {
	sed '/Content-Security-Policy/d' "$T/t.html" >"$T/played.html"
	printf '<script>\n%s\n</script>\n' "$1" >>"$T/played.html"
	dom "$T/played.html"
	cp "$T/played.html.dom" "$T/t.html.dom"
}

# bats test_tags=slow
@test "pointer, wheel, keys; sorting" {
	needs_browser
	record_formats html "streams -g 2 -t 2 -s 2 -n 20"
	data
	# Onto the middle of each span that is wide enough, as it is drawn: one after the other is selected.
	play '
		const told = [];
		const at = (type, x, y, more) => canvas.dispatchEvent(Object.assign(new PointerEvent(type,
			{clientX: canvas.getBoundingClientRect().x + x, clientY: canvas.getBoundingClientRect().y + y, bubbles: true}), more));
		canvas.setPointerCapture = () => {};
		const click = (x, y) => { at("pointermove", x, y); at("pointerdown", x, y); at("pointerup", x, y); };
		const press = key => document.dispatchEvent(new KeyboardEvent("keydown", {key}));
		let wrong = 0, hit = 0;
		for (let i = 0; i < total; i++) {
			setView(spans.begin[i] - 100, spans.end[i] + 100);
			scroll(yOf(i) - 100);
			if (yOf(i) >= view.height)
				continue;
			click(toX((spans.begin[i] + spans.end[i]) / 2), yOf(i));
			hit++;
			wrong += selected !== i || byId("selection").querySelector("h3").textContent !== nameOf(spans.name[i]);
		}
		const before = view.end - view.begin;
		canvas.dispatchEvent(new WheelEvent("wheel", {deltaY: 500, clientX: 600, clientY: 200, cancelable: true}));
		told.push(view.end - view.begin > before ? "out" : "");
		press("w"); press("a"); press("d"); press("ArrowLeft"); press("Escape");
		told.push(selected < 0 ? "nothing" : "");
		press("0");
		told.push(view.begin === 0 && view.end === whole.end ? "all" : "");
		at("pointerdown", 600, 200); at("pointermove", 500, 200); at("pointerup", 500, 200);
		press("s"); press("f");
		byId("hip-table").querySelectorAll("th button")[2].click();
		byId("hsa-table").querySelectorAll("th button")[6].click();
		byId("hsa-table").querySelectorAll("th button")[6].click();
		search("HtoD"); nextMatch();
		told.push(selected >= 0 && nameOf(spans.name[selected]));
		search("");
		draw();
		const drawn = new Set(new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer));
		told.push(drawn.size > 20 ? "painted" : "");
		byId("footer").textContent = told.join(" ");
		byId("footer").dataset.wrong = wrong;
		byId("footer").dataset.hit = hit;
	'
	[ "$("$PAGE" text "$T/t.html.dom" footer)" = "out nothing all HtoD painted" ]
	[ "$("$PAGE" value "$T/t.html.dom" footer wrong)" = 0 ]
	[ "$("$PAGE" value "$T/t.html.dom" footer hit)" -gt 500 ]
	# The most calls first; names from z to a.
	"$PAGE" column "$T/t.html.dom" hip-table calls >"$T/calls"
	[ "$(wc -l <"$T/calls")" -gt 5 ]
	sort -c -n -r "$T/calls"
	"$PAGE" column "$T/t.html.dom" hsa-table function >"$T/names"
	[ "$(head -n 1 "$T/names")" '>' "$(tail -n 1 "$T/names")" ]
}

# bats test_tags=slow
@test "hostile names are text" {
	needs_browser
	cat >"$T/marks.py" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b'<script>alert(1)</script>', b'</script><img src=x onerror=alert(1)>', b'<!--<script>', b'"\'&lt;\\\\',
		        b'\xe2\x80\xaeedoc', b'\xff\x1b[31m\nline', b']]>', b'\${x}'):
		    roctx.roctxRangePushA(name)
		    roctx.roctxMarkA(name)
		    roctx.roctxRangePop()
	EOT
	"$RTRACE" -f html -o "$T/t.html" -- python3 "$T/marks.py" '</title><script>alert(2)</script>' 2>"$T/err"
	dom "$T/t.html"
	"$PAGE" text "$T/t.html.dom" range-table >"$T/ranges"
	for name in '<script>alert(1)</script>' '</script><img src=x onerror=alert(1)>' '<!--<script>' "\"'&lt;\\\\" \
		'\xe2\x80\xaeedoc' '\xff\x1b[31m\x0aline' ']]>' "\${x}"; do
		grep -qF -e "$name" "$T/ranges" || { echo "$name"; cat "$T/ranges"; false; }
	done
	"$PAGE" text "$T/t.html.dom" processes | grep -qF '</title><script>alert(2)</script>'
	[ "$(grep -ao '<script' "$T/t.html" | wc -l)" = 2 ]
	[ "$(grep -ao '<img' "$T/t.html.dom" | wc -l)" = 0 ]
}

# bats test_tags=slow
@test "of too many the longest are drawn, tables count all" {
	"$O/tests/big_recording" "$T/t.rtrace" 150000
	"$RTRACE" export -f html "$T/t.rtrace" 2>"$T/err"
	[ "$(stat -c %s "$T/t.html")" -lt 8000000 ]
	data # all are accounted for in each row
	[ "$(of '.shown.calls | [.shown, .all] | @csv')" = 100000,600000 ]
	[ "$(of '.shown.kernels | [.shown, .all] | @csv')" = 60000,150000 ]
	[ "$(of '.shown.copies | [.shown, .all] | @csv')" = 20000,150000 ]
	[ "$(of '.shown.ranges | [.shown, .all] | @csv')" = 20000,150000 ]
	# 150000 of the calls take 3500 ns, all others less.
	[ "$(of '[.rows[] | select(.kind == "calls") | .spans[].name] | unique | @csv')" = '"hipStreamSynchronize"' ]
	# They are not those of one time.
	half=$(($(of .duration_ns) / 2))
	early=$(of "[.rows[] | select(.kind == \"queue\") | .spans[] | select(.begin < $half)] | length")
	[ "$early" -gt 29000 ]
	[ "$early" -lt 31000 ]
	# Cells lie where the spans were: on eight threads one of 200 and one of 1000, 500 ns in 10 us each.
	[ "$(of '[.rows[] | select(.kind == "calls") | .cells[].busy] | add')" = \
		$((150000 * (200 + 1000 + 500 + 3500) - 100000 * 3500)) ]
	[ "$(of '.tables.kernels | map(.[1:4])[] | @csv')" = 150000,150000,450000000 ]
	BROWSER=$(command -v chromium) || return 0
	dom "$T/t.html"
	[ "$("$PAGE" value "$T/t.html.dom" body spans)" = 200000 ]
	"$PAGE" text "$T/t.html.dom" shown | grep -q '100,000 of 600,000 API calls'
}

# bats test_tags=slow
@test "losses are said first" {
	needs_browser
	record_formats html vectoradd
	dom "$T/t.html"
	[ -z "$("$PAGE" text "$T/t.html.dom" losses)" ]
	# A recording that was cut off.
	head -c $(($(stat -c %s "$T/t.rtrace") - 20)) "$T/t.rtrace" >"$T/cut.rtrace"
	"$RTRACE" export -f html -o "$T/t.html" "$T/cut.rtrace" 2>"$T/err"
	dom "$T/t.html"
	"$PAGE" text "$T/t.html.dom" losses | grep -q 'no end mark'
}

teardown() {
	end_jobs
}
