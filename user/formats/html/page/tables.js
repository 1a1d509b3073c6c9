/*
 * The tables, which can be sorted and searched.
 */

const ROWS_SHOWN = 300; /* of a table, unless all are asked for */
const tables = [];

const byValue = (a, b) => typeof a === "string" ? a.localeCompare(b) : a - b;

/*
 * A column: its label, the value of a row's cell, how that is written, and a class: "name" and "word" are texts.
 */
class Table {
	constructor(parent, id, columns, rows, sort) {
		this.columns = columns;
		this.rows = rows;
		this.limit = ROWS_SHOWN;
		this.box = add(parent, "div", undefined, "scroll");
		this.table = add(this.box, "table");
		this.table.id = id;
		this.table.dataset.rows = rows.length;
		const line = add(add(this.table, "thead"), "tr");
		this.heads = columns.map((column, i) => {
			const th = add(line, "th", undefined, column.className);

			th.scope = "col";
			action(th, column.label, () => this.sort(i, this.by === i ? !this.down : !column.text));
			return th;
		});
		this.body = add(this.table, "tbody");
		this.more = add(parent, "p", undefined, "note more");
		tables.push(this);
		this.sort(sort, !columns[sort].text);
	}

	sort(by, down) {
		const value = this.columns[by].value;

		this.by = by;
		this.down = down;
		this.rows.sort((a, b) => byValue(value(a), value(b)) * (down ? -1 : 1));
		this.heads.forEach((th, i) => th.setAttribute("aria-sort", i !== by ? "none" : down ? "descending" : "ascending"));
		this.fill();
	}

	matches(row) {
		return !query || this.columns.some(c => c.text && c.value(row).toLowerCase().includes(query));
	}

	fill() {
		const rows = this.rows.filter(row => this.matches(row));
		const shown = Math.min(rows.length, this.limit);

		this.body.textContent = "";
		for (let i = 0; i < shown; i++)
			this.put(rows[i]);
		this.more.textContent = "";
		if (query && rows.length < this.rows.length)
			add(this.more, "span", count(rows.length) + " of " + plural(this.rows.length, "row") + " match. ");
		if (rows.length > shown) {
			add(this.more, "span", count(shown) + " of " + plural(rows.length, "row") + " shown. ");
			action(this.more, "Show all", () => {
				this.limit = Infinity;
				this.fill();
			});
		}
	}

	put(row) {
		const line = add(this.body, "tr");

		for (const column of this.columns) {
			const value = column.value(row), td = add(line, "td", undefined, column.className);

			if (column.run)
				action(td, column.show(value, row), () => column.run(row));
			else
				td.textContent = column.show ? column.show(value, row) : value;
			if (!column.text)
				td.dataset.value = value;
		}
	}
}

const text = (label, value) => ({label, value, text: true, className: "name"});
const number = (label, value, show) => ({label, value, show: show || count});
const timed = show => (value, row) => row.timed ? show(value) : "\u2013";

/* What a table by name is made of. */
function read(rows) {
	const of = rows.map(r => ({
		name: nameOf(r[0]), calls: Number(r[1]), timed: Number(r[2]), total: Number(r[3]), min: Number(r[4]),
		max: Number(r[5]), bytes: Number(r[6]), timedBytes: Number(r[7]),
	}));
	const whole = of.reduce((sum, row) => sum + row.total, 0);

	for (const row of of) {
		row.share = whole ? row.total / whole : 0;
		row.mean = row.timed ? row.total / row.timed : 0;
		row.rate = row.total ? row.timedBytes / row.total : 0;
	}
	return of;
}

function section(title, id, note) {
	const part = add(byId("tables"), "section");
	const link = add(byId("contents"), "a", title);

	part.id = id;
	link.href = "#" + id;
	add(part, "h2", title);
	if (note)
		add(part, "p", note, "note");
	return part;
}

function spreadColumns(label) {
	return [
		number("share", r => r.share, percent), number("total", r => r.total, time), number("calls", r => r.calls),
		number("mean", r => r.mean, timed(time)), number("min", r => r.min, timed(time)),
		number("max", r => r.max, timed(time)), text(label, r => r.name),
	];
}

function putKernels() {
	const rows = read(data.tables.kernels);

	if (rows.length)
		new Table(section("Kernels", "kernels"), "kernel-table", spreadColumns("kernel"), rows, 1);
}

const DOMAINS = {hip: "HIP", hsa: "HSA", kfd: "KFD (thunk)", roctx: "roctx", roctracer: "roctracer"};

function putCalls() {
	let part;

	for (const domain of Object.keys(DOMAINS)) {
		const rows = read(data.tables[domain]);

		if (!rows.length)
			continue;
		part = part || section("API calls", "calls", "Shares are of the sum of all calls of the domain, in all threads.");
		add(part, "h3", DOMAINS[domain]);
		new Table(part, domain + "-table", spreadColumns("function"), rows, 1);
	}
}

function putCopies() {
	const rows = read(data.tables.copies), columns = spreadColumns("direction");

	if (!rows.length)
		return;
	columns.splice(6, 0, number("bytes", r => r.bytes, bytes), number("bandwidth", r => r.rate, rate));
	new Table(section("Copies", "copies"), "copy-table", columns, rows, 1);
}

function putRanges() {
	const rows = read(data.tables.ranges);

	if (rows.length)
		new Table(section("Ranges", "ranges"), "range-table", spreadColumns("message"), rows, 1);
}

function putMemory() {
	const rows = read(data.tables.memory).concat(read(data.tables.scratch));
	const columns = [number("calls", r => r.calls), number("bytes", r => r.bytes, bytes),
		number("total", r => r.total, time), text("what", r => r.name)];

	if (rows.length)
		new Table(section("Memory", "memory"), "memory-table", columns, rows, 0);
}

function putFailures() {
	const rows = [];

	for (const f of data.failures)
		for (const first of f.first)
			rows.push({calls: Number(f.calls), at: Number(first[0]), tid: first[2], domain: f.domain,
				result: nameOf(f.result), call: first[3]});
	if (!rows.length)
		return;
	const part = section("Failed calls", "failures", "The first three of each function and result; \u201ccalls\u201d counts all of these.");
	if (data.further_failures)
		add(part, "p", count(data.further_failures) + " rarer functions and results are left out.", "note");
	const at = number("at", r => r.at, time);
	at.run = r => zoomTo(r.at - 1e6, r.at + 1e6);
	new Table(part, "failure-table", [number("calls", r => r.calls), at, number("thread", r => r.tid, String),
		{label: "domain", value: r => r.domain, text: true, className: "word"},
		{label: "result", value: r => r.result, text: true, className: "word bad"}, text("call", r => r.call)], rows, 0);
}

/* ---- GPUs ---- */

function commOf(pid) {
	const process = data.processes.find(p => p.pid === pid);

	return process ? process.name + " (" + pid + ")" : "process " + pid;
}

/* Why the GPU was busy or not; the last column of the table. */
function reasons(gpu) {
	const of = [
		{what: "busy: kernels", ns: Number(gpu.kernels_ns), part: "busy"},
		{what: "idle: only copies", ns: Number(gpu.only_copies_ns), part: "copy"},
		{what: "idle: submitted, not begun", ns: Number(gpu.not_begun_ns), part: "late"},
	];

	for (const [name, ns] of gpu.in_call)
		of.push({what: "idle: queue empty, host in " + nameOf(name), ns: Number(ns), part: "call"});
	if (Number(gpu.in_further_calls_ns))
		of.push({what: "idle: queue empty, host in other calls", ns: Number(gpu.in_further_calls_ns), part: "call"});
	of.push({what: "idle: queue empty, host in no call", ns: Number(gpu.no_call_ns), part: "none"});
	if (Number(gpu.not_known_ns))
		of.push({what: "idle: queue empty, calls of the host not known", ns: Number(gpu.not_known_ns), part: "none"});
	return of;
}

function putBar(part, rows, whole) {
	const bar = add(part, "div", undefined, "parts");

	for (const kind of ["busy", "copy", "late", "call", "none"]) {
		const ns = rows.reduce((sum, row) => sum + (row.part === kind ? row.ns : 0), 0);

		if (ns)
			add(bar, "div", undefined, kind).style.width = 100 * ns / whole + "%";
	}
}

function putGaps(part, gpu, id) {
	const rows = gpu.longest.map(g => ({begin: Number(g[0]), ns: Number(g[1]), tid: g[2],
		call: Number(g[4]) ? nameOf(g[3]) : "no call", inCall: Number(g[4])}));
	const at = number("at", r => r.begin, time);

	if (!rows.length)
		return;
	at.run = r => zoomTo(r.begin - r.ns, r.begin + 2 * r.ns);
	add(part, "p", "The longest of " + plural(gpu.gaps, "time") + " in which nothing was submitted, and the longest call that " +
		"the thread which ended it was in meanwhile:", "note");
	new Table(part, id, [number("idle", r => r.ns, time), at, number("thread", r => r.tid, String),
		number("in that call", r => r.inCall, (v, r) => r.inCall ? time(v) : "\u2013"), text("host in", r => r.call)], rows, 0);
}

function putGpu(part, gpu, n) {
	const rows = reasons(gpu), whole = Number(gpu.observed_ns);
	const busy = whole ? Number(gpu.kernels_ns) / whole : 0;
	const title = add(part, "h3", "GPU " + gpu.device + (gpu.name ? ", " + gpu.name : "") + ", of " + commOf(gpu.pid));

	title.dataset.busy = busy;
	add(part, "p", "Busy for " + percent(busy) + " of " + time(whole) + ", from the first submission to the last end." +
		(Number(gpu.without_times) ? " Left out: " + plural(gpu.without_times, "operation") + " whose times are not known." : "") +
		(Number(gpu.late_ns) ? " Operations that were told late may shift " + time(gpu.late_ns) + " of it." : ""), "note");
	if (!whole)
		return;
	putBar(part, rows, whole);
	const reason = text("where the time went", r => r.what);
	const table = new Table(part, "gpu-" + n, [number("share", r => r.ns / whole, percent), number("time", r => r.ns, time), reason],
		rows, 1);
	table.put = row => {
		Table.prototype.put.call(table, row);
		table.body.lastChild.lastChild.prepend(make("span", "", "swatch " + row.part));
	};
	table.fill();
	putGaps(part, gpu, "gpu-" + n + "-gaps");
}

function putGpus() {
	if (!data.gpus.length)
		return;
	const part = section("GPUs", "gpus");
	data.gpus.forEach((gpu, n) => putGpu(part, gpu, n));
	if (data.further_gpus)
		add(part, "p", "and " + plural(data.further_gpus, "further GPU") + " of processes", "note");
}
