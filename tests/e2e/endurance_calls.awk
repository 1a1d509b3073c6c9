# SPDX-License-Identifier: MIT
# Are all calls in the trace, or counted as lost (-v lost=N)? Lines, in any order, but for `told`, which come last:
#
#   pid PID                 of a process that is judged
#   calls FUNCTION N        made, all processes together
#   maybe FUNCTION N        perhaps as many more: a process was killed in them
#   told PID FUNCTION N     in the trace, made by the program itself
#
# Functions that no `calls` names are left out. Says the sums; status 1 if more are missing than were lost, or more
# are told than were made.

$1 == "pid" { ours[$2] = 1 }
$1 == "calls" || $1 == "maybe" { sub(/R0[0-9]+$/, "", $2) } # HIP 6's headers rename what has changed
$1 == "calls" { made[$2] += $3 }
$1 == "maybe" { maybe[$2] += $3 }
$1 == "told" && $2 in ours && $3 in made { told[$3] += $4 }

END {
	for (f in made) {
		if (told[f] < made[f]) {
			missing += made[f] - told[f]
			print "missing: " made[f] - told[f] " of " made[f] " calls of " f
		}
		if (told[f] > made[f] + maybe[f]) {
			print "too many: " told[f] + 0 " calls of " f " told, " made[f] + maybe[f] " made"
			bad = 1
		}
		all_made += made[f]; all_told += told[f]; all_maybe += maybe[f]
	}
	printf "calls: %d made, and %d at most by those that were killed; %d told, %d missing, %d counted as lost\n",
		all_made, all_maybe, all_told, missing, lost
	exit bad || !all_made || missing > lost
}
