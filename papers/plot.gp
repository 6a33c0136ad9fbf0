# SPDX-License-Identifier: BSD-3-Clause
# Draw one table of papers/: gnuplot -e "table='T.tsv'; drawing='T.svg'" plot.gp
set terminal svg size 640,420 font "sans,12" background "white"
set output drawing
set datafile separator "\t"
set key outside below autotitle columnheader
set grid ytics
set yrange [0:*]
set xtics rotate by -35
stats table skip 1 using 2 nooutput
plot for [column = 2:STATS_columns] table using column:xtic(1) with linespoints
