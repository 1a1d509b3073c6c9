/*
 * What the other scripts of the page stand on: its data, texts and elements. They are one script in the page, in
 * the order of html.mk; page.js, the last one, begins.
 *
 * All texts of the data were chosen by the processes that were traced: they get into the page as text
 * (textContent, fillText), never as HTML.
 */
"use strict";

const byId = id => document.getElementById(id);

function fail(message) {
	byId("errors").hidden = false;
	byId("errors").textContent += message + "\n";
}

window.addEventListener("error", e => fail(e.message + " (line " + e.lineno + ")"));
document.addEventListener("securitypolicyviolation", e => fail("blocked: " + e.violatedDirective + " " + e.blockedURI));

const data = JSON.parse(byId("data").textContent);

/* ---- texts ---- */

const SPACE = "\u202f"; /* narrow, no break */

/* Four digits, cut and not rounded. */
function digits(value) {
	const places = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
	const scale = 10 ** places;

	return (Math.floor(value * scale + 1e-7) / scale).toFixed(places);
}

function time(ns) {
	ns = Number(ns);
	if (ns < 0)
		return "\u2212" + time(-ns);
	if (ns < 1e3)
		return Math.floor(ns) + SPACE + "ns";
	if (ns < 1e6)
		return digits(ns / 1e3) + SPACE + "\u00b5s";
	if (ns < 1e9)
		return digits(ns / 1e6) + SPACE + "ms";
	return digits(ns / 1e9) + SPACE + "s";
}

function bytes(n) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let unit = 0;

	for (n = Number(n); n >= 1024 && unit < 4; unit++)
		n /= 1024;
	return (unit ? digits(n) : n) + SPACE + units[unit];
}

const count = n => Number(n).toLocaleString("en-US");
const plural = (n, one, many) => count(n) + " " + (Number(n) === 1 ? one : many || one + "s");
const percent = share => (100 * share).toFixed(1) + SPACE + "%";
const rate = gbps => gbps ? gbps.toFixed(2) + SPACE + "GB/s" : "\u2013";
const nameOf = id => data.names[id];

function make(tag, text, className) {
	const element = document.createElement(tag);

	if (text !== undefined)
		element.textContent = text;
	if (className)
		element.className = className;
	return element;
}

function add(parent, tag, text, className) {
	return parent.appendChild(make(tag, text, className));
}

function action(parent, text, run) {
	const button = add(parent, "button", text);

	button.type = "button";
	button.addEventListener("click", run);
	return button;
}
