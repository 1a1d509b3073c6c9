# SPDX-License-Identifier: MIT
"""What libroctracer64's domains of calls have of functions, as C: their numbers, the data that a callback gets,
wrappers, names. Used by gen-hsa-api and gen-kfd-api.
"""
import re
import sys

import apidesc

DATA = """\
typedef struct %(lower)s_api_data_t {
	uint64_t correlation_id;
	uint32_t phase;
	/* When the phase is exit: what the function returned, by its type. */
	union {
%(results)s	};
	union {
%(args)s	} args;
	/* Of the tool: what it leaves there when the call begins, it finds when the call ends. */
	uint64_t *phase_data;
} %(lower)s_api_data_t;
"""

SLOW = """\
static __attribute__((noinline)) %(ret)s traced_%(name)s(%(params)s)
{
	struct %(lower)s_api_trace trace = {%(fill)s};

	roctracer_%(lower)s_enter(%(upper)s_API_ID_%(name)s, &trace);
	%(keep)s%(original)s(%(args)s);
	roctracer_%(lower)s_exit(%(upper)s_API_ID_%(name)s, &trace);
%(give)s}
"""

FAST = """\
static %(ret)s wrap_%(name)s(%(params)s)
{
	if (TRACED(%(name)s))
		%(return)straced_%(name)s(%(args)s);
	%(else)s%(original)s(%(args)s);
}
"""

# What wrappers use besides their parameters.
TAKEN = re.compile(r"trace|original|roctracer_\w+")
# (function, parameter): what it points to is copied too, as <parameter>__val.
VALUES = {("hsa_amd_memory_async_copy_rect", "range"): "hsa_dim3_t"}


def fail(*words):
    sys.exit("gen-api: " + ": ".join(words))


def declare(ctype, name):
    """C's declaration of a variable; an array is the pointer that it is as a parameter."""
    spelling = re.sub(r" ?(\**)\[\d*\]$", r" \1*", ctype.spelling)
    if "(*)" in spelling:
        return spelling.replace("(*)", "(*%s)" % name, 1)
    if not re.fullmatch(r"[\w ]+[ *]*", spelling):
        fail(name, "no C for the type " + spelling)
    return spelling + ("" if spelling.endswith("*") else " ") + name


class Function:
    """One that is wrapped; `domain` as in names of C ("hsa"), `original` how the wrapper calls it."""

    def __init__(self, cursor, domain, original):
        self.name, self.domain, self.original = cursor.spelling, domain, original
        self.ret = cursor.result_type.spelling
        self.params = [(a.spelling, a.type) for a in cursor.get_arguments()]
        if cursor.type.is_function_variadic():
            fail(self.name, "variable arguments")
        for name, _ in self.params:
            if not name or TAKEN.fullmatch(name):
                fail(self.name, "a parameter is called '%s'" % name)
        if not re.fullmatch(r"\w+", self.ret):
            fail(self.name, "no member for a " + self.ret)

    def value(self, param):
        """Type of what a parameter points to, if that is copied."""
        return VALUES.get((self.name, param))

    def members(self):
        for name, ctype in self.params:
            yield declare(ctype, name)
            if self.value(name):
                yield "%s %s__val" % (self.value(name), name)

    def fill(self):
        """The initializer of the trace."""
        words = []
        for name, _ in self.params:
            words.append(".%s = %s" % (name, name))
            if self.value(name):
                words.append(".%s__val = COPY_AT(%s, %s)" % (name, self.value(name), name))
        if not words:
            return "0"
        return "\n\t\t.api_data.args.%s = {\n\t\t\t%s,\n\t\t},\n\t" % (self.name, ",\n\t\t\t".join(words))

    def wrapper(self):
        words = {
            "name": self.name, "lower": self.domain, "upper": self.domain.upper(), "original": self.original,
            "ret": self.ret, "fill": self.fill(),
            "params": ", ".join(declare(t, n) for n, t in self.params) or "void",
            "args": ", ".join(n for n, _ in self.params),
            "keep": "", "give": "", "return": "", "else": "else\n\t\t",
        }
        if self.ret != "void":
            result = "trace.api_data.%s_retval" % self.ret
            words.update({"keep": result + " = ", "give": "\treturn %s;\n" % result,
                          "return": "return ", "else": "return "})
        return SLOW % words + "\n" + FAST % words


def numbers(domain, names):
    """The constants of the functions' numbers, by their places in the list."""
    return "\n".join("\t%s_API_ID_%s = %d," % (domain.upper(), name, i) for i, name in enumerate(names))


def data(domain, functions):
    """The type of what a callback gets. C knows no union without members: there is one if there are no functions."""
    results = sorted({fn.ret for fn in functions} - {"void"})
    args = ["\t\tstruct {\n%s\t\t} %s;\n" % ("".join("\t\t\t%s;\n" % m for m in fn.members()), fn.name)
            for fn in functions]
    return DATA % {"lower": domain, "results": "".join("\t\t%s %s_retval;\n" % (r, r) for r in results) or "\t\tint none;\n",
                   "args": "".join(args) or "\t\tint none;\n"}


def names(domain, functions):
    """The tables by which functions are found: names by number, numbers in the order of the names."""
    return "static const char *const names[] = {\n%s};\n\n" % "".join('\t"%s",\n' % n for n in functions) + \
        "/* In the order of their names. */\nstatic const uint16_t by_name[] = {\n%s};\n" % \
        "".join("\t%s_API_ID_%s,\n" % (domain.upper(), n) for n in sorted(functions))


def main(description, header, wrappers):
    """The command line `[-I DIR]... header|wrappers`: prints what one of the two makes of the folders."""
    parser = apidesc.argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="DIR")
    parser.add_argument("what", choices=["header", "wrappers"])
    options = parser.parse_args()
    sys.stdout.write((header if options.what == "header" else wrappers)(options.include))
