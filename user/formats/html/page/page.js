/*
 * The search, and all of it together.
 */

/* ---- search ---- */

let query = "";
let matching = new Uint8Array(data.names.length);

function search(text) {
	query = text.trim().toLowerCase();
	let found = 0;

	data.names.forEach((name, i) => matching[i] = query && name.toLowerCase().includes(query) ? 1 : 0);
	for (let i = 0; query && i < total; i++)
		found += matching[spans.name[i]];
	byId("found").textContent = query ? plural(found, "span") + " on the timeline" : "";
	byId("found").dataset.value = found;
	tables.forEach(table => table.fill());
	redraw();
}

/* The next in time behind the one that is selected. */
function nextMatch() {
	const after = selected < 0 ? -Infinity : spans.begin[selected];
	let next = -1, first = -1;

	for (let i = 0; i < total; i++) {
		if (!matching[spans.name[i]])
			continue;
		if (first < 0 || spans.begin[i] < spans.begin[first])
			first = i;
		if (spans.begin[i] > after && (next < 0 || spans.begin[i] < spans.begin[next]))
			next = i;
	}
	if (first < 0)
		return;
	select(next < 0 ? first : next);
	bringIntoView(selected);
}

/* ---- all of it ---- */

function putShown() {
	const shown = data.shown, of = [];
	let some = false;

	for (const [kind, what] of [["calls", "API calls"], ["kernels", "kernels"], ["copies", "copies"], ["ranges", "ranges and marks"]]) {
		if (!Number(shown[kind].all))
			continue;
		of.push(count(shown[kind].shown) + " of " + count(shown[kind].all) + " " + what);
		some = some || shown[kind].shown !== shown[kind].all;
	}
	let text = of.length ? "Drawn one by one: " + of.join(", ") + (some ? ", the longest. " : ". ") : "There is nothing on it.";
	if (some)
		text += "How much there was of the others stands in the grey strips below the rows. ";
	if (Number(shown.with_arguments) < Number(shown.calls.shown))
		text += "Arguments: of the longest " + plural(shown.with_arguments, "call") + ". ";
	if (Number(shown.in_further_rows))
		text += "Threads and queues beyond the first 999 are not drawn: " + plural(shown.in_further_rows, "span") + ". ";
	byId("shown").textContent = text + (some ? "Tables count everything." : "");
}

/* #call=ID selects that call, #t=BEGIN-END (ns) and #q=TEXT are what is seen and searched. */
function readHash() {
	const of = new URLSearchParams(location.hash.slice(1));
	const [begin, end] = (of.get("t") || "").split("-").map(Number);

	if (end > begin)
		setView(begin, end);
	if (of.has("q")) {
		byId("search").value = of.get("q");
		search(of.get("q"));
	}
	const call = calls.get(Number(of.get("call")));
	if (call === undefined)
		return;
	select(call);
	if (!of.has("t"))
		bringIntoView(call);
}

function start() {
	putHeader();
	putShown();
	putKernels();
	putCopies();
	putGpus();
	putFailures();
	putCalls();
	putRanges();
	putMemory();
	arrange();
	byId("view").style.height = Math.min(Math.max(contentHeight + AXIS + 4, 120), Math.max(260, 0.55 * innerHeight)) + "px";
	readStyle();
	resize();
	setView(whole.begin, whole.end);
	listenToPointer();
	document.addEventListener("keydown", onKey);
	byId("search").addEventListener("input", e => search(e.target.value));
	byId("search").addEventListener("keydown", e => e.key === "Enter" && nextMatch());
	new ResizeObserver(resize).observe(byId("view"));
	const restyle = () => {
		readStyle();
		draw(); /* at once: what is printed is what stands there when this returns */
	};
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
	matchMedia("print").addEventListener("change", restyle);
	readHash();
	draw();
	document.body.dataset.ready = "1";
	document.body.dataset.spans = total;
}

start();
