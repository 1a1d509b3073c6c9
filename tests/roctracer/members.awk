# SPDX-License-Identifier: MIT
# The arguments in hip_api_data_t or hsa_api_data_t, of a header of either, as MEMBER(function, argument).

/^typedef struct h(ip|sa)_api_data/ { inside = 1 }
!inside { next }
/^[ \t]*} args;/ { exit }
/^[ \t]*(struct|union) {/ { count = 0; next }
/^[ \t]*} [A-Za-z_0-9]+;/ {
	sub(/;/, "", $2)
	for (i = 0; i < count; i++)
		print "MEMBER(" $2 ", " names[i] ")"
	next
}
/;/ {
	name = match($0, /\(\*[A-Za-z_0-9]+\)/) ? substr($0, RSTART + 2, RLENGTH - 3) : $NF
	gsub(/[*;]/, "", name)
	if (name !~ /__val$/)
		names[count++] = name
}
