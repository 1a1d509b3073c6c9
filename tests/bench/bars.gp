# SPDX-License-Identifier: MIT
# Draws a table of bars.awk: gnuplot -e 'table="FILE"; svg="FILE"; heading="TITLE"; logarithmic=0' bars.gp
set terminal svg size 900,450 background "white"
set output svg
set datafile separator "\t"
set datafile missing "?"
set title heading
set style data histogram
set style histogram clustered gap 1
set style fill solid 0.8 border -1
set grid ytics
set key outside right title "begins with"
set xtics rotate by -20
set yrange [(logarithmic ? 1 : 0):*]
if (logarithmic) set logscale y
plot for [column = 2:5] table using column:xtic(1) title columnheader(column)
