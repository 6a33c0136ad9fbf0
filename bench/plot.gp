# SPDX-License-Identifier: BSD-3-Clause
# Bandwidth against size: gnuplot -e "table='T.tsv'; drawing='T.svg'" plot.gp
heading = system("sed -n '1s/^# //p' '" . table . "'")
set terminal svg size 720,400 font "sans-serif,13" background "white" rounded
set output drawing
set datafile separator "\t"
set datafile missing "-"
set title heading noenhanced
set key below horizontal reverse Left autotitle columnheader samplen 3
set border 3 linecolor rgb "#555555"
set tics nomirror out
set grid ytics linecolor rgb "#dddddd" linetype 1
set logscale x 2
set format x "%.0b %BB"
set offsets graph 0.03, graph 0.03, 0, 0
set yrange [0:*]
set xlabel "message"
set ylabel "Mb/s of message"
set style line 1 linecolor rgb "#7a7a7a" linewidth 2 pointtype 5 pointsize 0.7
set style line 2 linecolor rgb "#d55e00" linewidth 2 pointtype 9 pointsize 0.9
set style line 3 linecolor rgb "#0072b2" linewidth 3 pointtype 7 pointsize 0.8
set style line 4 linecolor rgb "#222222" linewidth 1.5 dashtype 2
plot for [column = 2:4] table using 1:column with linespoints linestyle column - 1, \
     table using 1:5 with lines linestyle 4
