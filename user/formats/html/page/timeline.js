/*
 * The timeline: what is where, and how it is drawn.
 */

/* ---- layout ---- */

const LABELS = 190, AXIS = 24, LANE = 17, STRIP = 7, HEAD = 22, GAP = 5; /* px */
const canvas = byId("canvas"), context = canvas.getContext("2d");
const whole = {begin: 0, end: Math.max(1, Number(data.duration_ns))};
const view = {begin: 0, end: 1, top: 0, width: 1, height: 1};
const lines = []; /* from top to bottom: {y, height, head} or {y, height, row} */
let contentHeight = 0, selected = -1, hovered = -1;
let related = new Set();

const ORDER = ["gaps", "process ranges", "ranges", "calls", "queue", "copies"];
const DIRECTIONS = ["copies", "HtoD", "DtoH", "DtoD", "HtoH"];

function label(row) {
	switch (row.kind) {
	case "gaps": return "not recorded";
	case "process ranges": return "ranges";
	case "ranges": return "ranges of " + row.owner;
	case "calls": return row.owner + (row.name ? " " + row.name : "");
	case "queue": return "queue " + row.unit;
	default: return "copies " + (DIRECTIONS[row.unit] || "");
	}
}

function gpuTitle(row) {
	const gpu = data.gpus.find(g => g.pid === row.pid && g.device === row.owner);

	return row.owner < 0 ? "copies on the CPU" : "GPU " + row.owner + (gpu && gpu.name ? " " + gpu.name : "");
}

/* Threads with their ranges, then GPUs with their queues. */
function compareRows(a, b) {
	const gpu = isOperation(a) - isOperation(b);

	if (a.pid !== b.pid)
		return a.pid - b.pid;
	if (gpu || a.owner !== b.owner)
		return gpu || a.owner - b.owner;
	return ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.unit - b.unit;
}

function addLine(line, height) {
	lines.push(Object.assign(line, {y: contentHeight, height}));
	if (line.row)
		line.row.line = line;
	contentHeight += height;
}

function arrange() {
	let pid, gpu;

	for (const row of data.rows.slice().sort(compareRows)) {
		if (row.pid !== pid) {
			addLine({head: commOf(row.pid)}, HEAD);
			pid = row.pid;
			gpu = undefined;
		}
		if (isOperation(row) && row.owner !== gpu) {
			addLine({head: gpuTitle(row), minor: true}, HEAD);
			gpu = row.owner;
		}
		row.text = label(row);
		addLine({row}, Math.max(1, row.lanes.length) * LANE + (row.dense.length ? STRIP : 0) + GAP);
	}
}

/* ---- drawing ---- */

let style = {};

function readStyle() {
	const css = getComputedStyle(document.documentElement);

	for (const name of ["back", "raised", "line", "faint", "text", "dim", "accent", "bad", "span-light", "span-colour", "span-text"])
		style[name] = css.getPropertyValue("--" + name).trim();
	style.colours = [];
	style.font = "11px " + getComputedStyle(document.body).fontFamily;
	style.headFont = style.font.replace("11px", "12px");
	context.font = style.font;
	style.letter = context.measureText("hipStreamSynchronize").width / 20;
}

/* One a name, by its hash: the same on every page. */
function colour(name) {
	if (!style.colours[name]) {
		let hash = 7;

		for (const c of nameOf(name))
			hash = (hash * 31 + c.codePointAt(0)) % 1000003;
		style.colours[name] = "hsl(" + Math.round(hash * 137.508) % 360 + " " + style["span-colour"] + " " + style["span-light"] + ")";
	}
	return style.colours[name];
}

const scale = () => (view.width - LABELS) / (view.end - view.begin);
const toX = ns => LABELS + (ns - view.begin) * scale();
const toTime = x => view.begin + (x - LABELS) / scale();

/* The first span of the lane that ends behind that time. */
function firstIn(lane, ns, low) {
	let high = lane.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (spans.end[lane[middle]] > ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const short = (text, room) => text.length > room ? text.slice(0, Math.max(1, room - 1)) + "\u2026" : text;

function drawSpan(i, y) {
	const x = Math.max(LABELS, toX(spans.begin[i])), end = Math.min(view.width, toX(spans.end[i]));
	const width = Math.max(1, end - x), flags = spans.flags[i];
	const lit = !query || matching[spans.name[i]];

	context.globalAlpha = lit && (selected < 0 || related.has(i)) ? 1 : lit ? 0.55 : 0.22;
	context.fillStyle = flags & FAILED ? style.bad : colour(spans.name[i]);
	context.fillRect(x, y, width, LANE - 2);
	if (related.has(i) || i === hovered) {
		context.strokeStyle = i === selected ? style.text : style.accent;
		context.lineWidth = i === selected ? 2 : 1;
		context.strokeRect(x + 0.5, y + 0.5, Math.max(1, width - 1), LANE - 3);
	}
	if (width > 24) {
		const room = Math.floor((width - 6) / style.letter), name = nameOf(spans.name[i]);

		context.fillStyle = flags & FAILED ? style.back : style["span-text"];
		context.fillText(short(name, room), x + 3, y + LANE / 2 - 0.5);
	}
	context.globalAlpha = 1;
}

/* What is narrower than a pixel is drawn once a pixel; what is marked, always. */
function drawLane(lane, y) {
	const pixel = 1 / scale();
	let i = firstIn(lane, view.begin, 0);

	while (i < lane.length && spans.begin[lane[i]] <= view.end) {
		drawSpan(lane[i], y);
		i = spans.end[lane[i]] - spans.begin[lane[i]] < pixel ? Math.max(i + 1, firstIn(lane, spans.begin[lane[i]] + pixel, i + 1)) : i + 1;
	}
}

function drawDense(row, y) {
	context.fillStyle = style.dim;
	for (const cell of row.dense) {
		const x = toX(cell.begin), end = toX(cell.begin + row.cell_ns);

		if (end < LABELS || x > view.width)
			continue;
		context.globalAlpha = 0.2 + 0.7 * Math.min(1, cell.busy / row.cell_ns);
		context.fillRect(Math.max(LABELS, x), y, Math.max(1, Math.min(view.width, end) - Math.max(LABELS, x)), STRIP - 2);
	}
	context.globalAlpha = 1;
}

function drawLine(line) {
	const y = AXIS + line.y - view.top;

	if (y + line.height < AXIS || y > view.height)
		return;
	if (line.head) {
		context.fillStyle = style.raised;
		context.fillRect(0, y, view.width, line.height - 2);
		context.fillStyle = line.minor ? style.dim : style.text;
		context.font = (line.minor ? "" : "600 ") + style.headFont;
		context.fillText(line.head, line.minor ? 14 : 6, y + line.height / 2);
		context.font = style.font;
		return;
	}
	line.row.lanes.forEach((lane, n) => drawLane(lane, y + n * LANE));
	if (line.row.dense.length)
		drawDense(line.row, y + line.row.lanes.length * LANE);
}

/* Over what spans have painted there. */
function drawLabels() {
	for (const line of lines) {
		const y = AXIS + line.y - view.top;

		if (line.head || y + line.height < AXIS || y > view.height)
			continue;
		context.fillStyle = style.back;
		context.fillRect(0, y, LABELS - 1, line.height);
		context.fillStyle = style.line;
		context.fillRect(LABELS - 1, y, 1, line.height);
		context.fillStyle = style.dim;
		context.fillText(short(line.row.text, Math.floor((LABELS - 20) / style.letter)), 14, y + LANE / 2 - 1);
	}
}

function drawAxis() {
	const length = view.end - view.begin;
	let step = 10 ** Math.floor(Math.log10(length / 4));

	while (length / step > (view.width - LABELS) / 110)
		step *= length / step > (view.width - LABELS) / 45 ? 5 : 2;
	context.fillStyle = style.back;
	context.fillRect(0, 0, view.width, AXIS);
	context.fillStyle = style.line;
	context.fillRect(0, AXIS - 1, view.width, 1);
	for (let at = Math.ceil(view.begin / step) * step; at <= view.end; at += step) {
		const x = toX(at);

		context.fillStyle = style.line;
		context.fillRect(x, AXIS - 6, 1, 6);
		context.fillStyle = style.dim;
		if (x < view.width - 60)
			context.fillText(axisTime(at, step), x + 4, AXIS / 2 - 1);
	}
	context.fillStyle = style.dim;
	context.fillText(time(length) + " of " + time(whole.end), 6, AXIS / 2 - 1);
}

/* With as many digits as the step needs. */
function axisTime(ns, step) {
	const units = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];
	const [unit, of] = units.find(u => Math.max(Math.abs(ns), step) >= u[1]) || units[3];
	const places = Math.max(0, Math.ceil(-Math.log10(step / of) - 1e-9));

	return (ns / of).toFixed(Math.min(places, 9)) + SPACE + unit;
}

function drawGrid() {
	context.fillStyle = style.faint;
	for (const line of lines) {
		const y = AXIS + line.y + line.height - view.top - GAP / 2;

		if (!line.head && y > AXIS && y < view.height)
			context.fillRect(0, y, view.width, 1);
	}
}

/* From the selected call to what it caused, or back; not more of these than can be told apart. */
const ARROWS = 200;

function yOf(i) {
	return AXIS + row(i).line.y - view.top + spans.lane[i] * LANE + LANE / 2;
}

function drawArrows() {
	if (selected < 0 || related.size > ARROWS)
		return;
	context.strokeStyle = style.accent;
	context.lineWidth = 1;
	const fromCall = isCall(row(selected));
	for (const i of related) {
		if (i === selected || isCall(row(i)) === fromCall)
			continue;
		const call = fromCall ? selected : i, operation = fromCall ? i : selected;
		const x1 = toX(spans.begin[operation] - spans.wait[operation]), y1 = yOf(call);
		const x2 = toX(spans.begin[operation]), y2 = yOf(operation);

		context.beginPath();
		context.moveTo(x1, y1);
		const bend = Math.min(20, Math.abs(x2 - x1) / 2);
		context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
		context.stroke();
	}
}

function drawScrollbar() {
	const room = view.height - AXIS;

	if (contentHeight <= room)
		return;
	context.fillStyle = style.dim;
	context.globalAlpha = 0.5;
	context.fillRect(view.width - 6, AXIS + view.top / contentHeight * room, 4, room * room / contentHeight);
	context.globalAlpha = 1;
}

function draw() {
	context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
	context.fillStyle = style.back;
	context.fillRect(0, 0, view.width, view.height);
	context.font = style.font;
	context.textBaseline = "middle";
	drawGrid();
	lines.forEach(drawLine);
	drawArrows();
	drawLabels();
	drawAxis();
	drawScrollbar();
}

let due = false;

function redraw() {
	if (due)
		return;
	due = true;
	requestAnimationFrame(() => {
		due = false;
		draw();
	});
}

/* ---- moving ---- */

const SHORTEST = 20; /* ns */

function setView(begin, end) {
	const room = whole.end - whole.begin, margin = room / 50;
	const length = Math.min(Math.max(end - begin, SHORTEST), room + 2 * margin);

	begin += (end - begin - length) / 2;
	begin = Math.min(Math.max(begin, -margin), whole.end + margin - length);
	view.begin = begin;
	view.end = begin + length;
	redraw();
}

function zoomTo(begin, end) {
	setView(begin, end);
	byId("timeline").scrollIntoView({block: "nearest"});
}

function zoom(factor, x) {
	const at = toTime(Math.max(x, LABELS));

	setView(at - (at - view.begin) * factor, at + (view.end - at) * factor);
}

function pan(px) {
	const by = px / scale();

	setView(view.begin + by, view.end + by);
}

function scroll(px) {
	view.top = Math.max(0, Math.min(view.top + px, contentHeight + AXIS - view.height));
	redraw();
}

function resize() {
	const box = canvas.getBoundingClientRect();

	view.width = Math.max(LABELS + 50, box.width);
	view.height = box.height;
	canvas.width = Math.round(view.width * devicePixelRatio);
	canvas.height = Math.round(view.height * devicePixelRatio);
	scroll(0);
}
