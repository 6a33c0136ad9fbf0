# SPDX-License-Identifier: BSD-3-Clause
# Shares of the bound, a line per row of the table and a point per column:
# gnuplot -e "table='T.tsv'; drawing='T.svg'; heading='share of the bound'" plot.gp
stats table using 0 skip 1 nooutput
rows = STATS_records
columns = int(system("awk -F '\t' 'NR == 1 { print NF }' '" . table . "'"))
set terminal svg size 760,140 + 22 * rows font "sans-serif,12" background "white" rounded
set output drawing
set datafile separator "\t"
set datafile missing "-"
set title heading noenhanced
set key below horizontal reverse Left samplen 1
set border 3 linecolor rgb "#555555"
set tics nomirror out
set grid xtics linecolor rgb "#dddddd" linetype 1
set xrange [0:100]
set format x "%g %%"
set yrange [rows - 0.5:-0.5]
set style line 2 linecolor rgb "#0072b2" pointtype 7 pointsize 0.9
set style line 3 linecolor rgb "#d55e00" pointtype 9 pointsize 0.9
set style line 4 linecolor rgb "#7a7a7a" pointtype 5 pointsize 0.7
set style line 5 linecolor rgb "#009e73" pointtype 11 pointsize 0.8
set style line 6 linecolor rgb "#cc79a7" pointtype 13 pointsize 0.8
set style line 7 linecolor rgb "#e69f00" pointtype 4 pointsize 0.8
set style line 8 linecolor rgb "#56b4e9" pointtype 6 pointsize 0.8
# The first columns are drawn last, over the others.
title_of(column) = system(sprintf("awk -F '\t' 'NR == 1 { print $%d }' %s", column, table))
plot for [column = columns:2:-1] table using column:0:ytic(1) skip 1 \
         with points linestyle column title title_of(column)
