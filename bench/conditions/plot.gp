# SPDX-License-Identifier: BSD-3-Clause
# Shares of the bound under each condition: gnuplot -e "table='T.tsv'; drawing='T.svg'" plot.gp
stats table using 0 skip 1 nooutput
rows = STATS_records
set terminal svg size 760,120 + 22 * rows font "sans-serif,12" background "white" rounded
set output drawing
set datafile separator "\t"
set datafile missing "-"
set title "share of the bound after headers"
set key below horizontal reverse Left samplen 1
set border 3 linecolor rgb "#555555"
set tics nomirror out
set grid xtics linecolor rgb "#dddddd" linetype 1
set xrange [0:100]
set format x "%g %%"
set yrange [rows - 0.5:-0.5]
plot table using 4:0:ytic(1) skip 1 with points pointtype 5 pointsize 0.7 linecolor rgb "#7a7a7a" title "Open MPI's default", \
     table using 3:0 skip 1 with points pointtype 9 pointsize 0.9 linecolor rgb "#d55e00" title "best of Open MPI's algorithms", \
     table using 2:0 skip 1 with points pointtype 7 pointsize 0.9 linecolor rgb "#0072b2" title "mtree"
