# SPDX-License-Identifier: MIT
# The functions of HIP's tables in their order, of rocprofiler/prototypes: EXPORT(TABLE, PLACE, NAME)
FNR == 1 {
	table = FILENAME ~ /compiler/ ? "compiler_table" : "hip_table"
	place = 0
}
/^[^#]/ {
	match($0, /[A-Za-z_0-9]+\(/)
	printf "EXPORT(%s, %d, %s)\n", table, place++, substr($0, RSTART, RLENGTH - 1)
}
