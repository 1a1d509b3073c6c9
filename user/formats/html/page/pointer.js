/*
 * What is under the pointer, what is selected, and what pointer, wheel and keys do on the timeline.
 */

/* ---- what is under the pointer ---- */

function lineAt(y) {
	return y < AXIS ? undefined : lines.find(l => y - AXIS + view.top >= l.y && y - AXIS + view.top < l.y + l.height);
}

function spanAt(x, y) {
	const line = lineAt(y), near = 2 / scale();

	if (!line || line.head || x < LABELS)
		return -1;
	const lane = line.row.lanes[Math.floor((y - AXIS + view.top - line.y) / LANE)];
	if (!lane)
		return -1;
	const at = toTime(x), i = firstIn(lane, at - near, 0);
	return i < lane.length && spans.begin[lane[i]] <= at + near ? lane[i] : -1;
}

function cellAt(x, y) {
	const line = lineAt(y);

	if (!line || line.head || x < LABELS || y - AXIS + view.top - line.y < line.row.lanes.length * LANE)
		return null;
	const at = toTime(x);
	const cell = line.row.dense.find(c => at >= c.begin && at < c.begin + line.row.cell_ns);
	return cell ? {cell, row: line.row} : null;
}

/* By enum ev_why of event.h. */
const WHY = [null, "its queue takes no times", "it completes no signal", "the GPU had taken it before it was read",
	"its signal was used again before it was read", "its signal was shared", "its signal or process had ended",
	"tracing had ended", "the GPU's clock is not known", "the times in its signal cannot be its own",
	"too many were waited for"];

function remarks(i) {
	const flags = spans.flags[i];

	return [[FAILED, "failed"], [CUT_OFF, "cut off: its end is not known"], [UNWOUND, "left by longjmp or an exception"],
		[UNCORRELATED, "its cause is not known"], [NO_TIMES, "its times are not known"], [ENTRY, "only its begin is known"],
		[BARRIER, "a barrier packet"]].filter(r => flags & r[0]).map(r => r[1]).concat(WHY[flags >>> 16] || []);
}

/* What is known of a span, as [label, text]. */
function facts(i) {
	const on = row(i), of = [];

	if (!(spans.flags[i] & INSTANT))
		of.push(["duration", time(spans.end[i] - spans.begin[i])]);
	of.push(["at", axisTime(spans.begin[i], 1)]);
	if (isCall(on) && spans.extra[i])
		of.push(["call", nameOf(spans.name[i]) + data.texts[spans.extra[i]]]);
	if (on.kind === "queue" && spans.extra[i])
		of.push(["launch", nameOf(spans.extra[i])]);
	if (on.kind === "copies")
		of.push(["bytes", bytes(spans.extra[i]) + " (" + count(spans.extra[i]) + "), " +
			rate(spans.extra[i] / (spans.end[i] - spans.begin[i] || Infinity))]);
	if (isOperation(on))
		of.push(["submitted", time(spans.wait[i]) + " before it began"]);
	if ((isCall(on) || isOperation(on)) && spans.stream[i] >= 0)
		of.push(["stream", String(spans.stream[i])]);
	if (remarks(i).length)
		of.push(["remark", remarks(i).join(", ")]);
	return of;
}

function showTip(event) {
	const tip = byId("tip"), x = event.offsetX, y = event.offsetY;
	const i = spanAt(x, y), dense = i < 0 ? cellAt(x, y) : null;

	if (i !== hovered) {
		hovered = i;
		redraw();
	}
	tip.hidden = i < 0 && !dense;
	canvas.style.cursor = i < 0 ? "default" : "pointer";
	if (tip.hidden)
		return;
	tip.textContent = "";
	if (dense) {
		add(tip, "div", plural(dense.cell.count, "span") + " not drawn one by one");
		add(tip, "div", time(dense.cell.busy) + " in these " + time(dense.row.cell_ns));
	} else {
		add(tip, "div", nameOf(spans.name[i]));
		for (const [name, value] of facts(i))
			add(tip, "div", name === "duration" ? value : name + ": " + value);
	}
	tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + "px";
	tip.style.top = Math.max(0, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 8)) + "px";
}

/* ---- selection ---- */

const LISTED = 50;

function putRelated(box, of, call) {
	const busy = of.reduce((sum, i) => sum + spans.end[i] - spans.begin[i], 0);

	box.dataset.related = of.length;
	if (call)
		add(box, "p", of.length ? "It caused, of the operations that are drawn here, " + count(of.length) + ", " + time(busy) + " in all:"
			: "It caused none of the operations that are drawn here.", "note");
	else
		add(box, "p", of.length ? "Caused by:" : "The call that caused it is not drawn here.", "note");
	const list = add(box, "ul");
	for (const i of of.slice(0, LISTED))
		action(add(list, "li"), nameOf(spans.name[i]) + ", " + time(spans.end[i] - spans.begin[i]), () => {
			select(i);
			bringIntoView(i);
		});
	if (of.length > LISTED)
		add(list, "li", "and " + count(of.length - LISTED) + " more");
}

function select(i) {
	const box = byId("selection");

	selected = i;
	related = new Set();
	box.textContent = "";
	redraw();
	if (i < 0)
		return;
	const on = row(i), of = relatedTo(i);
	related = new Set(of).add(i);
	add(box, "h3", nameOf(spans.name[i]));
	const list = add(box, "dl");
	for (const [name, value] of facts(i).concat([["where", on.text + " of " + commOf(on.pid)]])) {
		add(list, "dt", name);
		add(list, "dd", value);
	}
	if (isCall(on) || isOperation(on))
		putRelated(box, of, isCall(on));
}

/* Moves there, and zooms only if it would be too small or too large. */
function bringIntoView(i) {
	const length = Math.max(spans.end[i] - spans.begin[i], SHORTEST), middle = (spans.begin[i] + spans.end[i]) / 2;
	const width = length * scale(), room = width < 3 || width > view.width ? length * 10 : view.end - view.begin;
	const line = row(i).line;

	if (toX(spans.end[i]) < LABELS || toX(spans.begin[i]) > view.width || room !== view.end - view.begin)
		setView(middle - room / 2, middle + room / 2);
	if (line.y < view.top || line.y + line.height > view.top + view.height - AXIS)
		scroll(line.y - view.top - 40);
}

function zoomToSpan(i) {
	const length = Math.max(spans.end[i] - spans.begin[i], SHORTEST);

	setView(spans.begin[i] - length / 4, spans.end[i] + length / 4);
}

/* ---- input ---- */

function listenToPointer() {
	let from = null, moved = false;

	canvas.addEventListener("pointerdown", e => {
		from = {x: e.clientX, y: e.clientY};
		moved = false;
		canvas.setPointerCapture(e.pointerId);
	});
	canvas.addEventListener("pointermove", e => {
		if (!from) {
			showTip(e);
			return;
		}
		moved = moved || Math.hypot(e.clientX - from.x, e.clientY - from.y) > 3;
		if (!moved)
			return;
		byId("tip").hidden = true;
		pan(from.x - e.clientX);
		scroll(from.y - e.clientY);
		from = {x: e.clientX, y: e.clientY};
	});
	canvas.addEventListener("pointerup", e => {
		if (from && !moved)
			select(spanAt(e.offsetX, e.offsetY));
		from = null;
	});
	canvas.addEventListener("pointercancel", () => from = null);
	canvas.addEventListener("pointerleave", () => {
		byId("tip").hidden = true;
		hovered = -1;
		redraw();
	});
	canvas.addEventListener("dblclick", e => {
		const i = spanAt(e.offsetX, e.offsetY);

		if (i >= 0)
			zoomToSpan(i);
	});
	canvas.addEventListener("wheel", e => {
		e.preventDefault();
		byId("tip").hidden = true;
		const step = e.deltaMode ? 30 : 1;
		if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			pan((e.deltaX || e.deltaY) * step);
		else
			zoom(Math.exp(Math.max(-100, Math.min(100, e.deltaY * step)) / 400), e.offsetX);
	}, {passive: false});
}

function onKey(e) {
	const step = (view.width - LABELS) / 10, middle = LABELS + (view.width - LABELS) / 2;
	const keys = {
		w: () => zoom(0.75, middle), s: () => zoom(1 / 0.75, middle), a: () => pan(-step), d: () => pan(step),
		arrowleft: () => pan(-step), arrowright: () => pan(step),
		f: () => selected >= 0 && zoomToSpan(selected), 0: () => setView(whole.begin, whole.end), escape: () => select(-1),
	};

	if (e.target === canvas) {
		keys.arrowup = () => scroll(-3 * LANE);
		keys.arrowdown = () => scroll(3 * LANE);
	}
	const run = keys[e.key.toLowerCase()];
	if (!run || e.ctrlKey || e.altKey || e.metaKey || e.target === byId("search"))
		return;
	e.preventDefault();
	run();
}
