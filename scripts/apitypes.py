# SPDX-License-Identifier: MIT
"""Writes types of the headers as tables of struct api_type (common/api_tables.h).

Used by gen-api-tables (the tracer's tables) and gen-tool-functions (those of libroctracer_tool).
"""
import re

import apidesc
from apidesc import CHARS, INTEGERS, POINTERS, T, decl_name, is_string, pointee


class Types:
    """Text of the tables, in .out; types and arrays that are equal are written once."""

    def __init__(self, api):
        self.api = api
        self.out = []
        self.types = {}    # what is written of a type -> identifier
        self.memo = {}
        self.names = set()
        self.lists = {}    # text of an array's body -> identifier

    def identifier(self, wanted):
        base = re.sub(r"\W+", "_", wanted).strip("_")
        name, n = base, 2
        while name in self.names:
            name, n = "%s_%d" % (base, n), n + 1
        self.names.add(name)
        return name

    def array(self, ctype, name, rows):
        """A static array with these rows, or an equal one that is there already."""
        key = ctype + "".join(rows)
        if key not in self.lists:
            self.lists[key] = self.identifier(name)
            self.out.append("static const struct %s %s[] = {\n%s};\n" % (
                ctype, self.lists[key], "".join("\t{%s},\n" % r for r in rows)))
        return self.lists[key]

    def type(self, name, kind, count, size, member=""):
        body = "API_%s, %d, %d%s" % (kind, count, size, ", {%s}" % (member or "NULL"))
        if body not in self.types:
            self.types[body] = self.identifier("type_" + name)
            self.out.append("static const struct api_type %s = {%s};\n" % (self.types[body], body))
        return "&" + self.types[body]

    def value(self, ctype, name="", top=False):
        """Identifier of the api_type of a value; `name` is the parameter's or field's."""
        if ctype.kind == T.VOID:
            return self.type("void", "VOID", 0, 0)
        if ctype.kind in INTEGERS:
            return self.integer(ctype, name)
        if ctype.kind in (T.FLOAT, T.DOUBLE):
            return self.type("f%d" % (ctype.get_size() * 8), "FLOAT", 0, ctype.get_size())
        if ctype.kind == T.ENUM:
            return self.enum(ctype)
        if ctype.kind in POINTERS or ctype.kind == T.INCOMPLETEARRAY or (top and ctype.kind == T.CONSTANTARRAY):
            return self.pointer(ctype, name, top)
        if ctype.kind == T.CONSTANTARRAY:
            return self.elements(ctype, name)
        if ctype.kind == T.RECORD:
            return self.record(ctype)
        return self.type("bytes%d" % ctype.get_size(), "BYTES", 0, ctype.get_size())

    def integer(self, ctype, name):
        sign, bits = INTEGERS[ctype.kind], ctype.get_size() * 8
        if sign == "b":
            return self.type("bool", "BOOL", 0, 1)
        if sign == "u" and bits >= 32 and apidesc.HEX_NAME.search(name):
            return self.type("x%d" % bits, "HEX", 0, bits // 8)
        return self.type("%s%d" % (sign, bits), "UINT" if sign == "u" else "INT", 0, bits // 8)

    def enum(self, ctype):
        name, constants = decl_name(ctype), self.api.constants(ctype)
        if not constants:
            return self.type("i%d" % (ctype.get_size() * 8), "INT", 0, ctype.get_size())
        rows = ['"%s", %#x' % (n, v) for v, n in constants]
        kind = "FLAGS" if apidesc.is_flags(name, constants) else "ENUM"
        array = self.array("api_constant", "constants_" + (name or "unnamed"), rows)
        return self.type(name or "enum", kind, len(rows), ctype.get_size(), ".constants = " + array)

    def pointer(self, ctype, name, top):
        target = pointee(ctype)
        if top and is_string(ctype):
            return self.type("string", "STRING", 0, 8)
        if top and is_string(target):
            return self.type("ptr_string", "POINTER", 0, 8, ".target = " + self.type("string", "STRING", 0, 8))
        if top and apidesc.readable(target):
            inner = self.value(target, name)
            return self.type("ptr_" + inner[len("&type_"):], "POINTER", 0, 8, ".target = " + inner)
        return self.type("pointer", "POINTER", 0, 8)

    def elements(self, ctype, name):
        element, size = ctype.get_array_element_type().get_canonical(), ctype.get_size()
        opaque = re.match(r"_*reserved", name) or element.kind == T.UCHAR
        if element.kind in CHARS and not opaque:
            return self.type("chars%d" % size, "CHARS", 0, size)
        if element.get_size() == 1 and element.kind in INTEGERS or size <= 0:
            return self.type("bytes%d" % size, "BYTES", 0, max(size, 0))
        inner = self.value(element, name)
        return self.type("%s_%d" % (inner[len("&type_"):], ctype.get_array_size()), "ARRAY",
                         ctype.get_array_size(), size, ".target = " + inner)

    def record(self, ctype):
        key = ctype.get_declaration().hash, ctype.get_declaration().spelling
        if key not in self.memo:
            self.memo[key] = self.new_record(ctype)
        return self.memo[key]

    def new_record(self, ctype):
        name = decl_name(ctype)
        if apidesc.is_union(ctype):
            members = apidesc.union_choice(ctype)
        else:
            members = sorted(apidesc.visible_fields(ctype), key=lambda f: f.offset)
        if not members:
            return self.type("bytes%d" % ctype.get_size(), "BYTES", 0, ctype.get_size())
        if len(members) == 1 and members[0].name == "handle" and ctype.get_size() == 8:
            return self.type("x64", "HEX", 0, 8)
        rows = ['"%s", %s, %d' % (f.name, self.value(f.type, f.name), f.offset) for f in members]
        array = self.array("api_field", "fields_" + (name or "unnamed"), rows)
        return self.type(name or "struct", "STRUCT", len(rows), ctype.get_size(), ".fields = " + array)
