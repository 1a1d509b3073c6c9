# SPDX-License-Identifier: MIT
# What headers say that functions return: STATUS(function, status) for each code that stands behind "->" in the comment in
# front of its declaration. The codes are those of fwd.h, which comes first.

FILENAME ~ /fwd\.h$/ && match($0, /ROCPROFILER_STATUS_ERROR[A-Z_]*/) {
	code = substr($0, RSTART, RLENGTH)
	sub(/^ROCPROFILER_STATUS_(ERROR_)?/, "", code)
	codes[code]
}

/^\/\*/ { comment = ""; inside = 1 }
inside { comment = comment " " $0; if (/\*\//) { inside = 0; declaration = "" } next }

{ declaration = declaration " " $0 }
!/;/ { next }

declaration ~ /^ *(ROCPROFILER_[A-Z_]+(\([^)]*\))? +)*rocprofiler_status_t +rocprofiler_[a-z_]+\(/ {
	match(declaration, /rocprofiler_status_t +rocprofiler_[a-z_]+\(/)
	name = substr(declaration, RSTART, RLENGTH - 1)
	sub(/.* /, "", name)
	if (comment !~ /->|No errors\./)
		print "#error " FILENAME ": nothing is said of errors of " name
	sub(/.*->/, "->", comment)
	if (comment !~ /^->/)
		comment = ""
	gsub(/[^A-Z_]+/, " ", comment)
	n = split(comment, words, " ")
	for (i = 1; i <= n; i++)
		if (words[i] in codes)
			print "STATUS(" name ", " (words[i] == "ERROR" ? "ERROR" : "ERROR_" words[i]) ")"
}
{ declaration = "" }
/;/ { comment = "" }
