# Bandwidth against size: gnuplot -e "table='T.tsv'; drawing='T.svg'" plot.gp
set terminal svg size 640,420 font "sans,12" background "white"
set output drawing
set datafile separator "\t"
set datafile missing "-"
set key outside below autotitle columnheader
set grid
set logscale x 2
set format x "%.0b %B"
set yrange [0:*]
set xlabel "message"
set ylabel "Mb/s of message"
plot for [column = 2:4] table using 1:column with linespoints, table using 1:5 with lines dashtype 2
