/*
 * What the data holds as bytes, see html.md: the spans of the timeline, and which call caused what.
 */

/* Numbers of seven bits a byte, the lowest first; signed ones are folded. */
class Reader {
	constructor(base64) {
		this.text = atob(base64);
		this.at = 0;
	}

	more() {
		return this.at < this.text.length;
	}

	number() {
		let value = 0, scale = 1, byte;

		do {
			byte = this.text.charCodeAt(this.at++);
			value += (byte & 127) * scale;
			scale *= 128;
		} while (byte > 127);
		return value;
	}

	signed() {
		const folded = this.number();

		return folded % 2 ? -(folded + 1) / 2 : folded / 2;
	}
}

const CUT_OFF = 0x1, UNWOUND = 0x2, UNCORRELATED = 0x4, NO_TIMES = 0x8, ENTRY = 0x100, FAILED = 0x1000, INSTANT = 0x2000,
	BARRIER = 0x4000;

const total = data.rows.reduce((sum, row) => sum + row.shown, 0);
const spans = {
	begin: new Float64Array(total), end: new Float64Array(total), name: new Int32Array(total), flags: new Int32Array(total),
	corr: new Float64Array(total), link: new Float64Array(total), stream: new Float64Array(total),
	wait: new Float64Array(total), /* of operations: how long before its begin it was submitted */
	extra: new Float64Array(total), /* text of a call, launch of a kernel, bytes of a copy */
	row: new Int32Array(total), lane: new Int32Array(total),
};

const row = i => data.rows[spans.row[i]];
const isCall = row => row.kind === "calls";
const isOperation = row => row.kind === "queue" || row.kind === "copies";

function readSpan(row, from, at, last) {
	spans.begin[at] = from.number() + (last < 0 ? 0 : spans.begin[last]);
	spans.end[at] = spans.begin[at] + from.number();
	spans.name[at] = from.number();
	spans.flags[at] = from.number();
	spans.corr[at] = from.signed() + (last < 0 ? 0 : spans.corr[last]);
	if (!isCall(row) && !isOperation(row))
		return;
	spans.stream[at] = from.number() - 1;
	const link = from.signed();
	spans.link[at] = link || isOperation(row) ? spans.corr[at] + link : 0;
	spans.wait[at] = isOperation(row) ? from.signed() : 0;
	spans.extra[at] = from.number();
}

/* Where spans do not fit below each other, further ones share the last lane. */
const LANES = 48;

/* A span goes to the first lane that is free when it begins: so calls stand below those that made them. */
function layOut(row) {
	const ends = [];

	row.lanes = [];
	for (let i = row.first; i < row.first + row.shown; i++) {
		let lane = ends.findIndex(end => end <= spans.begin[i]);

		if (lane < 0)
			lane = Math.min(ends.length, LANES - 1);
		ends[lane] = Math.max(spans.end[i], ends[lane] || 0);
		spans.lane[i] = lane;
		(row.lanes[lane] = row.lanes[lane] || []).push(i);
	}
}

function readCells(row) {
	const from = new Reader(row.cells || "");
	let at = 0;

	row.dense = [];
	while (from.more()) {
		at += from.number();
		row.dense.push({begin: Number(row.cells_from) + at * row.cell_ns, count: from.number(), busy: from.number()});
	}
}

function readRows() {
	let at = 0;

	data.rows.forEach((row, number) => {
		const from = new Reader(row.spans);

		row.first = at;
		for (let i = 0; i < row.shown; i++, at++) {
			readSpan(row, from, at, i ? at - 1 : -1);
			spans.row[at] = number;
		}
		layOut(row);
		readCells(row);
	});
}

readRows();

const calls = new Map(); /* by correlation ID */
const operations = [];
for (let i = 0; i < total; i++) {
	if (isCall(row(i)))
		calls.set(spans.corr[i], i);
	else if (isOperation(row(i)))
		operations.push(i);
}

/* ---- causes ---- */

/* The calls that an operation is due to, the innermost first, as far as they are on the timeline. */
function causes(i) {
	const of = [];
	let corr = spans.corr[i];

	for (let depth = 0; corr && depth < 64 && calls.has(corr); depth++) {
		of.push(calls.get(corr));
		corr = spans.link[calls.get(corr)];
	}
	const outermost = calls.get(spans.link[i]);
	if (spans.link[i] && outermost !== undefined && !of.includes(outermost))
		of.push(outermost);
	return of;
}

function relatedTo(i) {
	if (isOperation(row(i)))
		return causes(i);
	if (isCall(row(i)))
		return operations.filter(o => spans.corr[o] === spans.corr[i] || spans.link[o] === spans.corr[i] || causes(o).includes(i));
	return [];
}
