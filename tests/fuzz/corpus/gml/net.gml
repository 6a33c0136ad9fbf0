# a comment
graph [
  label "Little Net"
  directed 0
  Source "a book"
  node [ id 0 label "New York" Longitude -74.0 Latitude 40.7 graphics [ x 1 y 2 ] ]
  node [ id 1 label "Chicago" Longitude -87.6 Latitude 41.9 ]
  node [ id 2 label "Chicago" ]
  edge [ source 0 target 1 LinkSpeedRaw 1000000000.0 ]
  edge [ source 1 target 2 LinkSpeedRaw 5e8 latency "3ms" ]
  edge [ source 2 target 2 LinkSpeedRaw 5e8 ]
]
