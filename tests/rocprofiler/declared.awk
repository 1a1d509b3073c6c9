# SPDX-License-Identifier: MIT
# The functions that preprocessed headers of librocprofiler-sdk declare, one a line: not what other headers declare, nor
# types and inline functions.

/^#/ { ours = /rocprofiler-sdk\// && !/rocprofiler-sdk-roctx/; next }
!ours { next }

{
	gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)/, "")
	text = text " " $0
}
/;/ {
	n = split(text, statements, ";")
	for (i = 1; i < n; i++) {
		s = statements[i]
		if (s ~ /^[ }]*typedef|static|\{/ || !match(s, /rocprofiler_[a-z_0-9]+ *\(/))
			continue
		s = substr(s, RSTART, RLENGTH - 1)
		gsub(/ /, "", s)
		print s
	}
	text = statements[n]
}
