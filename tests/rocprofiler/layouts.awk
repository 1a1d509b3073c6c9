# SPDX-License-Identifier: MIT
# What layouts.txt says, as SIZE(type, n), MEMBER(type, member, offset, size) and VALUE(enumerator, n).

/^#/ || !NF { next }
$1 == "=" {
	for (i = 3; i <= NF; i++) {
		split($i, word, "=")
		print "VALUE(" $2 word[1] ", " word[2] ")"
	}
	next
}
{
	print "SIZE(" $1 ", " $2 ")"
	for (i = 3; i <= NF; i++) {
		split($i, word, "[=,]")
		print "MEMBER(" $1 ", " word[1] ", " word[2] ", " word[3] ")"
	}
}
