# SPDX-License-Identifier: MIT
"""What the installed headers say of the API functions: parameters, types, places by the SysV ABI.

Parsed by libclang as C++, because HIP's headers declare some exported functions only there. Used by
gen-api-tables (the tracer's tables), gen-api-tests (callers with known values), gen-hsa-api and
gen-kfd-api (the HSA and KFD APIs of libroctracer64) and gen-tool-functions (the arguments that
libroctracer_tool shows).
"""
import argparse
import re
import sys

try:
    import clang.cindex as ci
    from clang.cindex import CursorKind as C, TypeKind as T
except ImportError:
    sys.exit("gen-api: python3-clang is missing: run scripts/setup")

# In this order. What is missing (another ROCm) is left out and said; ours come last because they
# use the others' types.
HEADERS = [
    "hip/hip_runtime_api.h", "hip/hip_ext.h", "hip/hiprtc.h",
    "hsa/hsa.h", "hsa/hsa_ext_amd.h", "hsa/hsa_ext_image.h", "hsa/hsa_ext_finalize.h",
    "hsa/hsa_ven_amd_loader.h", "hsa/hsa_ven_amd_aqlprofile.h",
    "hsakmt.h", "hsakmt/hsakmt.h",
    "include/roctracer/roctx.h", "user/api/undeclared_apis.h",
]
FALLBACKS = {"hsakmt/hsakmt.h": "hsakmt.h", "hsakmt.h": "hsakmt/hsakmt.h"}
PREFIXES = ("hip", "__hip", "hsa_", "hsaKmt", "roctx", "roctracer_", "rocprofiler_", "rtrace_test_")

# What the kernel's header needs of libdrm's; only for the numbers of ioctls.
VIRTUAL_DRM = ("/virtual/drm/drm.h", "#include <linux/types.h>\n#include <linux/ioctl.h>\n")

# Constants that headers declare in unnamed or other enums, to be passed as the named one.
ENUM_ADDITIONS = [
    (r"HSA_(EXT_)?STATUS_", "hsa_status_t"),
    (r"HSA_(AMD|EXT)_AGENT_INFO_", "hsa_agent_info_t"),
    (r"HSA_(AMD|EXT)_SYSTEM_INFO_", "hsa_system_info_t"),
]

# Pointers to these are handles: what they lead to is the library's business.
HANDLES = {"hipArray", "hipMipmappedArray", "hsa_queue_t", "hsa_queue_s", "HsaEvent", "_HsaEvent", "_IO_FILE"}
# Arrays of addresses of kernel arguments: the first one says nothing.
UNREAD_PARAMS = {"args", "kernelParams", "extra"}
HEX_NAME = re.compile(r"(flags?|mask|address|addr|d?ptr|base|_limit|handle|doorbell|mmap_offset|_va)\d*$", re.I)
LONG_STRING = re.compile(r"(name|message|path|file)$", re.I)
KERNEL_NAME = re.compile(r"^(function_address|hostFunction|func|f)$")

INTEGERS = {
    T.CHAR_U: "u", T.UCHAR: "u", T.USHORT: "u", T.UINT: "u", T.ULONG: "u", T.ULONGLONG: "u",
    T.CHAR_S: "i", T.SCHAR: "i", T.SHORT: "i", T.INT: "i", T.LONG: "i", T.LONGLONG: "i", T.BOOL: "b",
}
CHARS = (T.CHAR_S, T.SCHAR, T.CHAR_U)
POINTERS = (T.POINTER, T.LVALUEREFERENCE, T.RVALUEREFERENCE)


class Limits:
    """The numbers of abi/bpf_records.h that a plan has to keep."""


class Field:
    def __init__(self, name, ctype, offset, bits=None, member=None):
        self.name, self.type, self.offset, self.bits = name, ctype, offset, bits
        self.member = member or name  # as C writes it


class Param:
    def __init__(self, name, ctype):
        self.name, self.type = name, ctype
        self.place = []    # words 0..5 registers, 6.. stack; ("x", i) is %xmm<i>
        self.read = None   # index into Function.reads
        self.kernel = False
        self.stream = False


class Function:
    def __init__(self, cursor):
        self.cursor = cursor
        self.name = cursor.spelling
        self.symbol = cursor.mangled_name
        self.result = cursor.result_type.get_canonical()
        self.params = [Param(a.spelling or "arg%d" % i, a.type.get_canonical())
                       for i, a in enumerate(cursor.get_arguments())]
        self.reads = []    # (kind, word, length)
        self.ret_read = None
        self.stack_words = 0


def decl_name(ctype):
    """Name of a struct, union or enum; "" for one without."""
    name = re.sub(r"^(const |volatile |struct |union |enum )+", "", ctype.spelling)
    return name if re.fullmatch(r"[\w:]+", name) else ""


def pointee(ctype):
    if ctype.kind in POINTERS:
        return ctype.get_pointee().get_canonical()
    if ctype.kind in (T.INCOMPLETEARRAY, T.CONSTANTARRAY):
        return ctype.get_array_element_type().get_canonical()
    return None


def is_function(ctype):
    return ctype.kind in (T.FUNCTIONPROTO, T.FUNCTIONNOPROTO)


def is_union(ctype):
    return ctype.kind == T.RECORD and ctype.get_declaration().kind == C.UNION_DECL


def is_string(ctype):
    """`char *`, whether const or not."""
    target = pointee(ctype)
    return ctype.kind == T.POINTER and target.kind == T.CHAR_S


def raw_fields(ctype):
    return [f for f in ctype.get_fields()]


def fields(ctype, base=0, path=""):
    """The members of a struct; those of an unnamed struct or union inside count as its own."""
    out = []
    for f in raw_fields(ctype):
        offset = base + f.get_field_offsetof() // 8
        ftype = f.type.get_canonical()
        if not f.spelling or "(" in f.spelling:
            if f.is_bitfield():
                continue
            out += union_choice(ftype, offset, path) if is_union(ftype) else fields(ftype, offset, path)
            continue
        bits = (f.get_field_offsetof() % 8, f.get_bitfield_width()) if f.is_bitfield() else None
        out.append(Field(f.spelling, ftype, offset, bits, path + f.spelling))
    return out


def union_choice(ctype, base=0, path=""):
    """The one member that stands for an unnamed union: a number of its full size, else the first."""
    members = fields(ctype, base, path)
    whole = [m for m in members if not m.bits and m.type.get_size() == ctype.get_size()
             and (m.type.kind in INTEGERS or m.type.kind in (T.ENUM, T.POINTER))]
    return whole[:1]


def visible_fields(ctype):
    """Those to be shown: no bit fields, no padding, unless there is nothing else."""
    every = [f for f in fields(ctype) if not f.bits and f.type.get_size() > 0]
    shown = [f for f in every if not re.match(r"_*(reserved|pad(ding)?|unused)\d*_?$", f.name, re.I)]
    return shown or every


def is_complete(ctype):
    return ctype.get_size() > 0


# ---- places ----

class Unsupported(Exception):
    pass


def leaves(ctype, base=0):
    """(offset, class) of every scalar in a type that is passed by value."""
    if ctype.kind in (T.FLOAT, T.DOUBLE):
        return [(base, "SSE")]
    if ctype.kind in INTEGERS or ctype.kind == T.ENUM or ctype.kind in POINTERS:
        return [(base, "INTEGER")]
    if ctype.kind == T.CONSTANTARRAY:
        element = ctype.get_array_element_type().get_canonical()
        return [leaf for i in range(ctype.get_array_size())
                for leaf in leaves(element, base + i * element.get_size())]
    if ctype.kind == T.RECORD:
        for child in ctype.get_declaration().get_children():
            if child.kind == C.DESTRUCTOR or (child.kind == C.CONSTRUCTOR and child.is_copy_constructor()):
                raise Unsupported("a C++ class by value")
        out = []
        for f in raw_fields(ctype):
            at = base + f.get_field_offsetof() // 8
            out += [(at, "INTEGER")] if f.is_bitfield() else leaves(f.type.get_canonical(), at)
        return out
    raise Unsupported("type " + ctype.spelling)


def classify(ctype):
    """A class for each eightbyte, or "MEMORY"."""
    if ctype.kind in (T.INCOMPLETEARRAY, T.CONSTANTARRAY):
        return ["INTEGER"]
    size = ctype.get_size()
    found = leaves(ctype)
    if size > 16:
        return "MEMORY"
    classes = ["SSE"] * ((size + 7) // 8)
    for offset, cls in found:
        if cls == "INTEGER":
            classes[offset // 8] = "INTEGER"
    return classes


def assign_places(fn):
    """SysV x86-64: which registers or stack words each parameter has at the function's entry."""
    hidden = fn.result.kind == T.RECORD and classify(fn.result) == "MEMORY"
    ints, sses, words = (1 if hidden else 0), 0, 0
    for p in fn.params:
        classes = classify(p.type)
        need = classes.count("INTEGER") if classes != "MEMORY" else 0
        need_sse = classes.count("SSE") if classes != "MEMORY" else 0
        if classes == "MEMORY" or ints + need > 6 or sses + need_sse > 8:
            if p.type.kind == T.RECORD and p.type.get_align() > 8:
                words += words % 2
            count = (max(p.type.get_size(), 8) + 7) // 8
            p.place = [6 + words + i for i in range(count)]
            words += count
            continue
        for cls in classes:
            if cls == "INTEGER":
                p.place.append(ints)
                ints += 1
            else:
                p.place.append(("x", sses))
                sses += 1
    fn.stack_words = words
    fn.hidden_result = hidden


# ---- what to read at the return ----

def struct_name(ctype):
    return decl_name(ctype) if ctype.kind == T.RECORD else ""


def readable(target):
    """May what such a pointer leads to be read as a value of that type?"""
    if target.kind == T.VOID or is_function(target) or not is_complete(target):
        return False
    return struct_name(target) not in HANDLES


def string_length(fn, name, limits):
    long = fn.name.startswith("roct") or LONG_STRING.search(name)
    return limits.READ_MAX if long else 64


def plan_read(fn, p, limits):
    target = pointee(p.type)
    if target is None or p.name in UNREAD_PARAMS:
        return None
    if is_string(p.type):
        return ("STRING", string_length(fn, p.name, limits))
    if is_string(target):
        return ("STRING_AT", string_length(fn, p.name, limits))
    if not readable(target):
        return None
    return ("BYTES", min(target.get_size(), 128))


def plan_reads(fn, limits):
    wanted = []
    if is_string(fn.result):
        wanted.append((None, limits.WORD_RET, "STRING", limits.READ_MAX))
    elif fn.hidden_result:
        wanted.append((None, limits.WORD_RET, "BYTES", min(fn.result.get_size(), 128)))
    for p in fn.params:
        read = plan_read(fn, p, limits)
        word = p.place[0] if p.place else None
        if read and not isinstance(word, tuple) and word < 6 + limits.STACK_WORDS:
            wanted.append((p, word) + read)
    left = limits.DATA_MAX - 8 - 8 * min(fn.stack_words, limits.STACK_WORDS)
    for i, (p, word, kind, length) in enumerate(wanted[:limits.READS]):
        rest = min(len(wanted), limits.READS) - i - 1
        if left - 8 - length < rest * 32:  # leave something for those that follow
            length = min(length, 64)
        if left < 8 + length:
            break
        left -= 8 + (length + 7) // 8 * 8
        if p:
            p.read = len(fn.reads)
        else:
            fn.ret_read = len(fn.reads)
        fn.reads.append((kind, word, length))


def mark_kernel(fn):
    """The parameter that says which kernel, where there is one."""
    for p in fn.params:
        target = pointee(p.type)
        if p.type.kind != T.POINTER or not target:
            continue
        if target.spelling == "ihipModuleSymbol_t" or (target.kind == T.VOID and fn.symbol.find("hip") >= 0
                                                       and KERNEL_NAME.match(p.name)):
            p.kernel = True
            return


def mark_stream(fn):
    """The parameter that says on which stream, where there is one."""
    for p in fn.params:
        target = pointee(p.type)
        if p.type.kind == T.POINTER and target and target.spelling == "ihipStream_t":
            p.stream = True
            return


# ---- parsing ----

def parser(description):
    """The command line that both scripts have."""
    p = argparse.ArgumentParser(description=description)
    p.add_argument("-I", dest="include", action="append", default=[], metavar="DIR")
    p.add_argument("-H", dest="header", action="append", default=[], help="one more header", metavar="FILE")
    return p


def declarations(cursor):
    """What a header declares, inside of extern "C" too."""
    for c in cursor.get_children():
        if c.kind in (C.LINKAGE_SPEC, C.UNEXPOSED_DECL):
            yield from declarations(c)
        else:
            yield c


class Headers:
    """Headers that are parsed with these folders and macros."""

    def __init__(self, include, defines=()):
        self.args = ["-x", "c++", "-std=c++17", "-D__HIP_PLATFORM_AMD__=1", "-I.", "-I/virtual"]
        self.args += ["-D" + d for d in defines] + [a for d in include for a in ("-I", d)]

    def exists(self, header):
        tu = ci.Index.create().parse("probe.cpp", self.args, [
            ("probe.cpp", "#if !__has_include(<%s>)\n#error missing\n#endif\n" % header)])
        return not list(tu.diagnostics)

    def parse(self, text, options=0):
        tu = ci.Index.create().parse("api.cpp", self.args, [("api.cpp", text), VIRTUAL_DRM], options)
        errors = [d for d in tu.diagnostics if d.severity >= ci.Diagnostic.Error]
        for d in errors[:10]:
            print("gen-api: %s:%d: %s" % (d.location.file, d.location.line, d.spelling), file=sys.stderr)
        if errors:
            sys.exit("gen-api: the headers do not parse")
        return tu


class Api(Headers):
    """Everything: .functions by symbol, .ioctls, .limits, .headers."""

    def __init__(self, options):
        super().__init__(options.include)
        headers = HEADERS + options.header
        self.headers = [h for h in headers if self.exists(h)]
        for h in headers:
            if h not in self.headers and FALLBACKS.get(h) not in self.headers:
                print("gen-api: %s: not installed, left out" % h, file=sys.stderr)
        if not any(h.startswith("hip/") or h.startswith("hsa/") for h in self.headers):
            sys.exit("gen-api: neither HIP's nor HSA's headers were found; give their folder with -I")
        self.tu = self.parse("".join("#include <%s>\n" % h for h in self.headers))
        self.limits = self.read_limits()
        self.additions = {}
        self.known = {}  # hash and name of a declaration -> its constants
        self.functions = {}
        self.skipped = []
        self.walk(self.tu.cursor)
        self.finish()
        self.ioctls = self.read_ioctls()

    def numbers(self, include, expressions):
        """Values of constant expressions, as the compiler sees them."""
        text = include + "".join("enum : unsigned long { value_%d = (unsigned long)(%s) };\n" % (i, e)
                                 for i, e in enumerate(expressions))
        found = {}
        for c in self.parse(text).cursor.get_children():
            if c.kind == C.ENUM_DECL:
                for v in c.get_children():
                    if v.spelling.startswith("value_"):
                        found[v.spelling] = v.enum_value
        return [found["value_%d" % i] for i in range(len(expressions))]

    def read_limits(self):
        limits = Limits()
        names = ["READS", "READ_MAX", "DATA_MAX", "STACK_WORDS", "WORD_RET"]
        for name, value in zip(names, self.numbers('#include "abi/bpf_records.h"\n', ["RT_" + n for n in names])):
            setattr(limits, name, value)
        return limits

    def walk(self, cursor):
        for c in declarations(cursor):
            if c.kind == C.ENUM_DECL:
                self.add_constants(c)
            elif c.kind == C.FUNCTION_DECL and c.spelling.startswith(PREFIXES):
                if c.linkage == ci.LinkageKind.EXTERNAL and not c.is_definition():
                    self.functions.setdefault(c.mangled_name, Function(c))

    def add_constants(self, enum):
        for c in enum.get_children():
            for pattern, name in ENUM_ADDITIONS:
                if enum.spelling != name and re.match(pattern, c.spelling):
                    self.additions.setdefault(name, []).append((c.spelling, c.enum_value))

    def finish(self):
        for symbol, fn in sorted(self.functions.items()):
            try:
                if fn.cursor.type.is_function_variadic():
                    raise Unsupported("variable arguments")
                assign_places(fn)
            except Unsupported as why:
                self.skipped.append("%s: %s" % (fn.name, why))
                del self.functions[symbol]
                continue
            plan_reads(fn, self.limits)
            mark_kernel(fn)
            mark_stream(fn)

    def read_ioctls(self):
        """(number, direction, name, struct type) of the ioctls of /dev/kfd."""
        if not self.exists("linux/kfd_ioctl.h"):
            print("gen-api: linux/kfd_ioctl.h: not installed, left out", file=sys.stderr)
            return []
        include = "#include <linux/kfd_ioctl.h>\n"
        self.kfd = self.parse(include, ci.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        structs, macros = {}, {}
        for c in self.kfd.cursor.get_children():
            if c.kind == C.STRUCT_DECL:
                structs[c.spelling] = c.type.get_canonical()
            elif c.kind == C.MACRO_DEFINITION and c.spelling.startswith("AMDKFD_IOC_"):
                words = [t.spelling for t in c.get_tokens()]
                if "struct" in words:
                    macros[c.spelling] = words[words.index("struct") + 1]
        names = sorted(macros)
        numbers = self.numbers(include, ["_IOC_NR(%s)" % n for n in names])
        return sorted((number, name, structs[macros[name]]) for number, name in zip(numbers, names))

    def constants(self, ctype):
        """[(name, value modulo the enum's size)], the first name of each value, by value."""
        decl = ctype.get_declaration()
        key = decl.hash, decl.spelling
        if key not in self.known:
            self.known[key] = self.read_constants(ctype, decl)
        return self.known[key]

    def read_constants(self, ctype, decl):
        every = [(c.spelling, c.enum_value) for c in decl.get_children() if c.kind == C.ENUM_CONSTANT_DECL]
        every += self.additions.get(decl_name(ctype), [])
        modulus = 1 << (8 * ctype.get_size())
        seen = {}
        for name, value in every:
            seen.setdefault(value % modulus, name)
        return sorted((value, name) for value, name in seen.items())


def is_flags(name, constants):
    """Are the constants single bits, to be combined?"""
    values = [v for v, _ in constants if v]
    single = [v for v in values if v & (v - 1) == 0]
    if "flag" in name.lower() and values:
        return True
    # 1, 2, 3, 4 count; 1, 2, 4, 7 are bits and all of them together.
    return len(single) >= 3 and all(v > max(single) for v in values if v not in single)
