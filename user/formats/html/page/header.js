/*
 * What stands above all: losses first, then of what the trace is.
 */

const counts = data.counts;

function putFact(label, value, id, number) {
	const div = add(byId("facts"), "div");

	add(div, "dt", label);
	const dd = add(div, "dd", value);
	if (id) {
		dd.id = id;
		dd.dataset.value = number;
	}
}

function putLosses() {
	const box = byId("losses");

	if (data.losses.length)
		add(box, "p", "Not in this trace: " + data.losses.map(l => count(l[0]) + " " + l[1]).join(", ") + ".", "loss");
	if (!data.ended)
		add(box, "p", "The trace has no end mark: it may have been cut off, and what was lost then is not known.", "loss");
}

function putProcesses() {
	const all = data.processes, box = byId("processes");
	const names = [...new Set(all.map(p => p.name))];
	let list = box;

	byId("title").textContent = names.slice(0, 5).join(", ") + (names.length > 5 ? ", \u2026" : "") || "rtrace";
	document.title = "rtrace: " + byId("title").textContent;
	if (all.length > 3) {
		list = add(box, "details");
		add(list, "summary", plural(all.length + Number(data.further_processes), "process", "processes"));
	}
	for (const p of all)
		add(list, "p", p.pid + ": " + (p.command || p.name) + (p.libraries ? " (" + p.libraries + ")" : ""), "note name");
	if (Number(data.further_processes))
		add(list, "p", "and " + plural(data.further_processes, "further process", "further processes"), "note");
}

function putHeader() {
	const copied = data.tables.copies.reduce((sum, row) => sum + Number(row[6]), 0);

	putLosses();
	putProcesses();
	putFact("duration", time(data.duration_ns), "duration", data.duration_ns);
	putFact("API calls", count(counts.spans), "count-calls", counts.spans);
	putFact("kernels", count(counts.dispatches), "count-dispatches", counts.dispatches);
	putFact("copies", count(counts.copies), "count-copies", counts.copies);
	putFact("copied", bytes(copied), "copied", copied);
	if (counts.ranges || counts.marks)
		putFact("roctx ranges", count(counts.ranges), "count-ranges", counts.ranges);
	if (Number(data.real_ms))
		putFact("begun", new Date(Number(data.real_ms)).toISOString().replace("T", " ").slice(0, 19) + " UTC");
	if (data.host)
		putFact("host", data.host);
	byId("footer").textContent = "Made by rtrace " + data.version + (data.kernel ? ", traced on Linux " + data.kernel : "") +
		". Times of calls include those of the calls inside them.";
}
