#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a page of -f html shows, read from it.

  page.py data PAGE             its data, as JSON, with what stands in it as bytes decoded (docs/reference/formats/html.md)
  page.py sums DOM              its tables as formats.bash has them
  page.py text DOM ID           the text of the element with that id
  page.py column DOM TABLE HEAD the numbers, or texts, of that column
  page.py value DOM ID NAME     its data-NAME; of the body: ID body

PAGE is the file, DOM what a browser has made of it.
"""
import base64
import html.parser
import json
import sys
from collections import defaultdict


def data_of(path):
    page = open(path, encoding="utf-8").read()
    begin = '<script type="application/json" id="data">\n'
    assert page.count(begin) == 1
    text = page[page.index(begin) + len(begin):]
    return json.loads(text[:text.index("</script>")])


class Numbers:
    def __init__(self, text):
        self.bytes = base64.b64decode(text, validate=True)
        self.at = 0

    def more(self):
        return self.at < len(self.bytes)

    def number(self):
        value = shift = 0
        while True:
            byte = self.bytes[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.number()
        return (value >> 1) ^ -(value & 1)


def spans_of(row, data):
    numbers = Numbers(row["spans"])
    begin = corr = 0
    while numbers.more():
        begin += numbers.number()
        span = {"begin": begin, "ns": numbers.number(), "name": data["names"][numbers.number()], "flags": numbers.number()}
        corr += numbers.signed()
        span["corr"] = corr
        if row["kind"] in ("calls", "queue", "copies"):
            span["stream"] = numbers.number() - 1
            link = numbers.signed()
            span["link"] = corr + link if link or row["kind"] != "calls" else 0
        if row["kind"] == "calls":
            span["text"] = data["texts"][numbers.number()]
        elif row["kind"] in ("queue", "copies"):
            span["submit"] = begin - numbers.signed()
            extra = numbers.number()
            span["extra"] = extra if row["kind"] == "copies" else data["names"][extra]
        yield span


def cells_of(row):
    numbers = Numbers(row.get("cells", ""))
    at = 0
    while numbers.more():
        at += numbers.number()
        yield {"begin": row["cells_from"] + at * row["cell_ns"], "count": numbers.number(), "busy": numbers.number()}


def decode(data):
    for row in data["rows"]:
        cells = list(cells_of(row))
        row["spans"] = list(spans_of(row, data))
        row["cells"] = cells
        assert len(row["spans"]) == row["shown"]
        assert row["shown"] + sum(cell["count"] for cell in cells) == row["count"], row["kind"]
    return data


VOID = {"meta", "link", "br", "input", "img", "hr"}


class Dom(html.parser.HTMLParser):
    """Tables, and texts and data- attributes of elements with an id."""

    def __init__(self, path):
        super().__init__()
        self.open, self.texts, self.attrs, self.tables = [], defaultdict(str), {}, {}
        self.feed(open(path, encoding="utf-8").read())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        name = attrs.get("id", "body" if tag == "body" else None)
        if name:
            self.attrs[name] = attrs
        if tag == "table":
            self.table = self.tables[name] = {"heads": [], "rows": []}
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th"):
            self.row.append([attrs.get("data-value"), ""])
        if tag not in VOID:
            self.open.append((tag, name))

    def handle_endtag(self, tag):
        while self.open and self.open[-1][0] != tag:
            self.open.pop()
        if self.open:
            self.open.pop()
        if tag == "tr" and not self.table["heads"]:
            self.table["heads"] = [text for _, text in self.row]
        elif tag == "tr":
            self.table["rows"].append(dict(zip(self.table["heads"], self.row)))

    def handle_data(self, text):
        for tag, name in self.open:
            if name:
                self.texts[name] += text
        if any(tag in ("td", "th") for tag, _ in self.open):
            self.row[-1][1] += text


DIRECTIONS = {"HtoD": "MEMORY_COPY_HOST_TO_DEVICE", "DtoH": "MEMORY_COPY_DEVICE_TO_HOST",
              "DtoD": "MEMORY_COPY_DEVICE_TO_DEVICE", "HtoH": "MEMORY_COPY_HOST_TO_HOST", "copy": "MEMORY_COPY_NONE"}
KINDS = {"hip-table": ("hip", "function"), "hsa-table": ("hsa", "function"), "kernel-table": ("kernel", "kernel"),
         "copy-table": ("copy", "direction")}


def put_sums(dom):
    lines = []
    for table, (kind, column) in KINDS.items():
        for row in dom.tables.get(table, {"rows": []})["rows"]:
            name = row[column][1]
            size = row["bytes"][0] if kind == "copy" else "0"
            lines.append((kind, DIRECTIONS[name] if kind == "copy" else name, row["calls"][0], row["total"][0], size))
    for line in sorted(lines):
        print(*line, sep="\t")


if __name__ == "__main__":
    what, path, *rest = sys.argv[1:]
    if what == "data":
        json.dump(decode(data_of(path)), sys.stdout)
    elif what == "sums":
        put_sums(Dom(path))
    elif what == "text":
        print(Dom(path).texts[rest[0]])
    elif what == "column":
        for row in Dom(path).tables[rest[0]]["rows"]:
            number, text = row[rest[1]]
            print(text if number is None else number)
    else:
        print(Dom(path).attrs[rest[0]].get("data-" + rest[1], ""))
