#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mtree(1): every command and every option, good and bad.
set -u
mtree=${MTREE:-./mtree}
maps=${srcdir:-.}/topologies
nets=${srcdir:-.}/tests/fixtures/import
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
failures=0
checks=0

# expect CODE PATTERN ARGS...: mtree ARGS exits with CODE and prints PATTERN (a basic regular expression) on
# standard output or error; an empty pattern: anything.
expect() {
    code=$1 pattern=$2
    shift 2
    checks=$((checks + 1))
    "$mtree" "$@" >"$tmp/out" 2>&1 </dev/null
    got=$?
    if [ $got -ne "$code" ] ||
        { [ -n "$pattern" ] && ! grep -q -e "$pattern" "$tmp/out"; }; then
        failures=$((failures + 1))
        echo "FAILED: mtree $*: exit $got, wanted $code and '$pattern' in:"
        sed 's/^/    /' "$tmp/out"
    fi
}

# The same, with one line alone.
expect_line() {
    expect "$@"
    [ "$(wc -l <"$tmp/out")" -eq 1 ] || {
        failures=$((failures + 1))
        echo "FAILED: more than one line:"
        sed 's/^/    /' "$tmp/out"
    }
}

# says FILE PATTERN: the file has such a line.
says() {
    checks=$((checks + 1))
    if ! grep -q -e "$2" "$1"; then
        failures=$((failures + 1))
        echo "FAILED: no '$2' in $1:"
        sed 's/^/    /' "$1"
    fi
}

# The command itself.
expect 0 '^Usage: mtree COMMAND' --help
expect 0 '^mtree [0-9]' --version
expect 2 '^Usage: mtree COMMAND'
expect 2 "no command 'plant'" plant
for command in topology plan check draw generate import export simulate compare probe report top cache doctor relay; do
    expect 0 "^Usage: mtree $command" $command --help
    expect 0 "^Usage: mtree $command" $command -h
    # It ends with two examples, whose options it has.
    "$mtree" $command --help >"$tmp/help"
    sed -n '/^Examples:$/,$p' "$tmp/help" >"$tmp/examples"
    expect 0 '^Examples:' $command --help
    [ "$(grep -c "mtree $command " "$tmp/examples")" = 2 ] || says "$tmp/examples" "two examples of mtree $command"
    for option in $(grep -o ' --[a-z-]*' "$tmp/examples" | grep -v map-by); do
        says "$tmp/help" "^  .*$option "
    done
    expect 2 "unrecognized option '--nonsense'" $command --nonsense
    [ $command = cache ] || expect 2 "$command: .*see 'mtree $command --help'" $command
done

# A published algorithm that every build has: gost, which draws from the seed and keeps a height, needs GLPK.
published=gost
if "$mtree" plan --help | grep -q '^  gost .*(not supported: built without GLPK)'; then
    published=plink
    expect 1 'algorithm gost is not supported: built without GLPK' plan --algorithm gost "$maps/b4.dot"
fi

# topology
expect 0 'b4 (.*b4.dot): 12 hosts, 0 switches, 19 links' topology "$maps/b4.dot"
expect 0 '^  AS1 > US1 > US4 ' topology --routes "$maps/b4.dot"
expect 0 '^  h0 > switch > h7 ' topology -r "$maps/star-8.dot"
expect 0 '"capacity_bps": \[' topology --json "$maps/b4.dot"
expect 0 '"via": \[' topology -j -r "$maps/star-8.dot"
expect 1 'nowhere.dot: cannot be opened: No such file' topology nowhere.dot
echo 'graph { a -- b [capacity="10Mbps" capacity_back="4Mbps" latency="3ms"]; }' >"$tmp/two.dot"
expect 0 'a -- b: 5 Mb/s there, 2 Mb/s back, 3 ms' topology --scale 0.5 "$tmp/two.dot"
expect 0 '^  a > b  (0 us)' topology -n -r "$tmp/two.dot"
expect 0 'a -- b: 30 Mb/s' topology -s 3 --no-latency "$tmp/two.dot" -o "$tmp/scaled.dot"
says "$tmp/scaled.dot" '"a" -- "b" \[capacity="30Mbps" capacity_back="12Mbps"\]'
says "$tmp/scaled.dot" '^// made with: mtree topology -s 3 --no-latency two.dot$'
expect 0 'a -- b: 30 Mb/s there, 12 Mb/s back' topology "$tmp/scaled.dot"
echo 'graph { a -- b [capacity="10Mbps" mtu=1500 loss="0.01" jitter="1ms" cross="4Mbps"]; }' >"$tmp/lossy.dot"
expect 0 'a -- b: 5 Mb/s, 0 us mtu=1500 loss="0.01" jitter="1ms" cross="2Mbps"$' topology --scale 0.5 "$tmp/lossy.dot"
echo 'graph { a -- b [capacity="10Mbps" from_address="10.1.0.1" to_address="10.1.0.2"]; }' >"$tmp/ends.dot"
expect 0 'a -- b: 5 Mb/s, 0 us from_address="10.1.0.1" to_address="10.1.0.2"$' topology --scale 0.5 "$tmp/ends.dot"
expect 0 '"from_address": "10.1.0.1"' topology --json "$tmp/ends.dot"
expect 0 'mtu=1500 loss="0.01" jitter' topology --mtu 900 --loss 0.5 "$tmp/lossy.dot"
expect 0 'mtu=900 loss="0.5"$' topology --mtu 900 --loss 0.5 "$tmp/two.dot"
expect 0 ', 3 ms mtu=1500 burst=3028$' topology --mtu 1500 --burst 2ms "$tmp/two.dot"
expect 0 ', 3 ms mtu=1500 burst=25000$' topology --mtu 1500 --burst 2ms --scale 10 "$tmp/two.dot"
echo 'graph { message_cost="9us"; copy_rate="20Gbps"; a -- b [capacity="1Mbps"]; }' >"$tmp/costs.dot"
expect 0 '^  a message costs a processor 9 us, its bytes 20 Gb/s$' topology "$tmp/costs.dot"
expect 0 '"message_cost_s": 9' topology --json "$tmp/costs.dot"
expect 2 "topology: --loss '2' is no number from 0 to 1" topology --loss 2 "$tmp/two.dot"
expect 0 '"cross_bps": 4000000.0' topology --json "$tmp/lossy.dot"
expect 1 'cannot be written' topology "$tmp/two.dot" --output "$tmp/no/such/dir"
for scale in 0 -1 x 1e10 2x nan; do
    expect 2 "topology: --scale '$scale' is no number" topology --scale "$scale" "$tmp/two.dot"
done
echo 'graph { a -- b [capacity="1Mbps"]; b -- a [capacity="1Mbps"]; }' >"$tmp/twice.dot"
echo "graph { a -- ; }" >"$tmp/syntax.dot"
expect 1 "syntax.dot:1: syntax error near ';'; docs/topology-file.md has an example" topology "$tmp/syntax.dot"
echo 'SwitchName=s0 Nodes=n[1-4]' >"$tmp/slurm.conf"
expect 1 "slurm.conf:1: syntax error near 'SwitchName'; topology files begin with graph {; mtree import reads GML, GraphML, Slurm's and tables" topology "$tmp/slurm.conf"
expect 1 'twice.dot:1: link b-a is there already' topology "$tmp/twice.dot"

# probe: only under mpirun
expect 2 'probe: it measures between the ranks of a job: mpirun --map-by node' probe -o "$tmp/p.dot"

# report: what a job writes is tested where jobs are (tests/mpi/report.test)
job=${srcdir:-.}/tests/fixtures/report/b4.json
empty='"topologies": [], "plans": [], "communicators": [], "times": []'
echo "{\"format\": \"mtree-report 4\", $empty}" >"$tmp/report.json"
expect 0 '^Forecast: Open MPI.s time for these calls was not predicted' report "$tmp/report.json"
expect 0 '"format": "mtree-report 4"' report --json "$tmp/report.json"
expect 0 '^<h1>mtree report</h1>$' report --html "$tmp/report.json"
expect 0 '^# EOF$' report --openmetrics "$tmp/report.json"
expect 0 '' report -m -o "$tmp/report.prom" "$tmp/report.json"
says "$tmp/report.prom" '^mtree_job_info{format="mtree-report 4"} 1$'
expect 0 '' report -H -o "$tmp/report.html" "$tmp/report.json"
says "$tmp/report.html" '^</html>$'
# The trees of the first plan are shown, and links say what they carry.
expect 0 '' report -H -o "$tmp/b4.html" "$job"
says "$tmp/b4.html" '<g class="tree on" id="p0t1"'
says "$tmp/b4.html" 'data-tree="p0t1" checked='
says "$tmp/b4.html" 'class="figure".*>36 Mb/s, 72 %<'
sed 's/"times": \[/&1/' "$tmp/report.json" >"$tmp/damaged.json"
expect_line 1 '^mtree: .*/damaged.json: the report is damaged: ' report -H "$tmp/damaged.json"
sed "s/\"times\"/\"deep\": $(printf '%1500s' '' | tr ' ' '[')$(printf '%1500s' '' | tr ' ' ']'), &/" "$tmp/report.json" >"$tmp/damaged.json"
# Python 3.13 goes as deep.
if "$mtree" report --json "$tmp/damaged.json" >"$tmp/out" 2>&1; then
    says "$tmp/out" '^  "deep": \[$'
else
    expect_line 1 '^mtree: .*/damaged.json: the report is damaged: ' report --json "$tmp/damaged.json"
fi
expect 1 'cannot be written: No such file' report -H -o "$tmp/no/such/dir" "$tmp/report.json"
expect 1 'cannot be written: No such file' report -o "$tmp/no/such/dir" "$tmp/report.json"
expect 1 'nowhere.json: cannot be opened: No such file' report nowhere.json
echo '{' >"$tmp/broken.json"
expect 1 'broken.json:2: not a report: .*; write one with coll_mtree_report' report "$tmp/broken.json"
echo '{"format": "mtree-report 9"}' >"$tmp/newer.json"
expect 1 "newer.json: \"format\" is 'mtree-report 9', not 'mtree-report 4'" report "$tmp/newer.json"
echo '{"format": "mtree-report 4", "plans": []}' >"$tmp/short.json"
expect 1 'short.json: there is no list "topologies"; was the report written whole' report "$tmp/short.json"
# What contradicts itself is refused in one line that names the file.
edit() { # EXPRESSION: edited.json is the job's report, changed by sed.
    sed "$1" "$job" >"$tmp/edited.json"
}
edit 's/"vertices":\[0,/"vertices":[99,/'
expect_line 1 '^mtree: .*/edited.json: a communicator contradicts its topology; was it edited?$' report "$tmp/edited.json"
edit 's/\[capacity=\\"36Mbps\\"\]/[]/'
expect_line 1 '^mtree: .*/edited.json: topology 0:[0-9]*: link AS1-AS2 has no capacity' report "$tmp/edited.json"
edit 's/\\"AS1\\" \[/\\"A\\u001bS1\\" [/'
expect_line 1 '^mtree: .*/edited.json: topology 0:2: the name of a node must be' report "$tmp/edited.json"
edit 's/"share":/"shares":/'
expect_line 1 '^mtree: .*/edited.json: plan' report "$tmp/edited.json"
edit 's/\\"US6\\" \[kind=host\]/\\"US6\\" [host=\\"US9\\"]/'
expect_line 1 '^mtree: .*/edited.json: a plan contradicts its topology; was it edited?$' report "$tmp/edited.json"
edit 's/"topologies":\[{/&"measured":[[99,"AS1",1,1]],/'
expect_line 1 '^mtree: .*/edited.json: what was measured contradicts its topology; was it edited?$' report "$tmp/edited.json"
sed 's/"MPI_COMM_WORLD"/"\\u001b[31mred\\u009b1m\\n"/; s/"topologies\/b4.dot"/"\\u001b[32mb4\\u001b[0m"/' "$job" >"$tmp/colour.json"
expect 0 '^?\[31mred??1m?: 12 ranks' report "$tmp/colour.json"
expect 0 'u001[bB]\[31mred' report --json "$tmp/colour.json"
checks=$((checks + 2))
for command in report top; do
    "$mtree" $command "$tmp/colour.json" | grep -q "$(printf '[\033\302]')" && {
        failures=$((failures + 1))
        echo "FAILED: mtree $command prints control characters"
    }
done

# top: a job that has ended is shown once, from its beginning
expect 0 '^A job of 12 ranks, begun ' top "$job"
expect 0 '^  AS1 > AS2  *24.5 Mb/s  *68 %  ####################\.\.\.\.\.\.\.\.\.\.$' top --links 1 "$job"
checks=$((checks + 1))
[ "$(grep -c ' > ' "$tmp/out")" -eq 1 ] || {
    failures=$((failures + 1))
    echo "FAILED: mtree top --links 1 shows more"
}
sed 's/"complete":true/"complete":false/' "$job" >"$tmp/running.json"
expect 0 '^A running job of 12 ranks, .* so far$' top -n 2 -d 0.01 "$tmp/running.json"
expect 0 'running.json has not been written for .*: the job calls no collectives, or it is gone' \
    top --frames 5 -d 1.7 "$tmp/running.json"
expect 2 "top: --delay '0' is no number from 0.01 to 3600" top --delay 0 "$job"
expect 2 "top: --links 'x': a whole number from 1" top -l x "$job"
expect 2 "top: --frames '-1': a whole number" top --frames -1 "$job"
# What a link seems to carry beyond its capacity is not shown, unless the map is said to be wrong.
sed 's/"paths":\[\]/"paths":[[0,1,2e7,0.5,5.38e7]]/; s/"elapsed_s":13.95/"elapsed_s":3.95/' "$job" >"$tmp/young.json"
expect 0 '^  AS1 > AS2  *>36 Mb/s  *100 %  ##############################  *>36 Mb/s$' top -l 40 "$tmp/young.json"
! grep 'map disagrees' "$tmp/out" || failures=$((failures + 1))
sed 's/"paths":\[\]/"paths":[[0,1,2e7,0.5,7.5e7]]/; s/"elapsed_s":13.95/"elapsed_s":3.95/' "$job" >"$tmp/wrong.json"
expect 0 '^  AS1 > AS2  *86.[0-9] Mb/s  *2[0-9][0-9] %  ##############################  *75 Mb/s$' top -l 40 "$tmp/wrong.json"
says "$tmp/out" '^The map disagrees with the calls by more than a factor of two: AS1 > AS2 has 36 Mb/s, calls found 75 Mb/s. '
# A file that is not there yet is waited for.
await_line() {
    looks=0
    until grep -q 'not there yet' "$tmp/out" || [ $((looks += 1)) -gt 200 ]; do sleep 0.1; done
}
expect 1 '^.*/nowhere.json is not there yet; a job writes it after a call, with coll_mtree_report and ' \
    top -n 2 -d 0.01 "$tmp/nowhere.json"
: >"$tmp/out"
(await_line; cp "$job" "$tmp/late.new" && mv "$tmp/late.new" "$tmp/late.json") &
expect 0 '^A job of 12 ranks, begun ' top -d 0.05 "$tmp/late.json"
says "$tmp/out" 'late.json is not there yet'
: >"$tmp/out"
"$mtree" top "$tmp/nowhere.json" >>"$tmp/out" &
top=$!
await_line
kill -INT $top
wait $top
got=$?
checks=$((checks + 1))
[ $got -eq 130 ] || {
    failures=$((failures + 1))
    echo "FAILED: mtree top does not end on SIGINT while it waits"
}
expect 0 'trees 1 2 of allreduce 4 MB-8 MB$' report "$job"

# generate
expect 0 '^graph "ring:5" {' generate ring:5
expect 0 'capacity="5Mbps" latency="3ms"' generate --capacity 5Mbps --latency 3ms star:2
expect 0 'capacity="1Gbps"\]' generate mesh:2x2
expect 0 '// capacities: drawn from 150Mbps to 250Mbps in steps of 10Mbps, seed 9' \
    generate --skew 0.5 --seed 9 random:6:9
expect 0 '// latencies: from 1ms (widest link) to 9ms' generate -k 1 -l 1ms:9ms ring:9
expect 0 '"capacity_bps"' generate --json ring:3
expect 0 '' generate torus:3x3 --output "$tmp/torus.dot"
says "$tmp/torus.dot" '^// made with: mtree generate torus:3x3$'
expect 0 '9 hosts, 0 switches, 18 links' topology "$tmp/torus.dot"
expect 1 "'blob:3' is no shape" generate blob:3
expect 1 'cannot be written' generate ring:3 -o "$tmp/no/such/dir"
expect 2 "generate: --capacity 'x': not a number; write it like 200Mbps" generate -c x ring:3
expect 2 "generate: --capacity '0bps': it must be more than 0; write it like 200Mbps" generate -c 0bps ring:3
expect 2 "generate: --latency '5': write it like 5ms" generate -l 5 ring:3
expect 2 "--latency '9ms:1ms'" generate -l 9ms:1ms ring:3
expect 2 "--skew '2'" generate -k 2 ring:3
expect 2 "--seed 'x'" generate -s x ring:3

# The commands in the first lines of the shipped topologies make them.
"$mtree" generate torus:4x4 | cmp -s - "$maps/torus-4x4.dot" || {
    failures=$((failures + 1))
    echo "FAILED: topologies/torus-4x4.dot is not what mtree generate torus:4x4 writes"
}
"$mtree" generate star:8 | cmp -s - "$maps/star-8.dot" || {
    failures=$((failures + 1))
    echo "FAILED: topologies/star-8.dot is not what mtree generate star:8 writes"
}

# cache
export XDG_CACHE_HOME="$tmp/cache"
expect 0 '^0 topologies$' cache
mkdir -p "$tmp/cache/mtree"
version=$("$mtree" --version | tr -cd '0-9.')
printf '// learned by mtree %s\n// on %s\n// host h0 10.0.0.1\n// host h1 10.0.0.2\ngraph { h0 -- h1 }\n' \
    "$version" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" >"$tmp/cache/mtree/0123456789abcdef.dot"
printf '// learned by mtree 0.0.0\n// on 2020-01-01T00:00:00Z\n' >"$tmp/cache/mtree/fedcba9876543210.dot"
echo mine >"$tmp/cache/mtree/notes"
chmod 600 "$tmp/cache/mtree"/*
expect 0 "^$tmp/cache/mtree:" cache
expect 0 '^0123456789abcdef  20..-..-.. ..:..     2 hosts$' cache
expect 0 '^fedcba9876543210 .* not used: another version of mtree wrote it' cache
expect 0 '^2 topologies$' cache
expect 0 '^graph { h0 -- h1 }' cache 0123456789abcdef
expect 1 "no 'abc' in .*; 'mtree cache' lists what there is" cache abc
expect 2 'at most one name is needed' cache a b
expect 0 '^1 topology removed$' cache --clear fedcba9876543210
touch "$tmp/cache/mtree/0123456789abcdef.plan" "$tmp/cache/mtree/0123456789abcdee.plan"
expect 0 '^1 topology, 2 plans$' cache
expect 0 '^1 topology, 2 plans removed$' cache --clear
expect 0 '^0 topologies$' cache
says "$tmp/cache/mtree/notes" mine
mkdir "$tmp/cache/mtree/0123456789abcdef.dot"
expect 1 '0123456789abcdef.dot: cannot be removed: ' cache --clear
unset XDG_CACHE_HOME
home=$HOME
unset HOME
expect 1 'neither XDG_CACHE_HOME nor HOME says where it is' cache
export HOME="$home"

# import
expect 1 'the capacity of link 2-3 is not known; give one with --capacity' import "$nets/net.tsv"
expect 0 '"1" -- "2" \[capacity="120Mbps" latency="2ms"\]' import -c 7Mbps "$nets/net.tsv"
expect 0 '"2" -- "3" \[capacity="7Mbps"\]' import --capacity 7Mbps "$nets/net.tsv"
expect 0 '^// license: CC0-1.0' import --capacity 7Mbps "$nets/net.tsv"
expect 0 '"south_east" \[kind=host pos="0,0"\]' \
    import -c 7Mbps --nodes "$nets/net.nodes.tsv" "$nets/net.tsv"
expect 0 '"south_east" -- "west_3" \[capacity="7Mbps" latency="0.5559' \
    import -c 7Mbps -n "$nets/net.nodes.tsv" "$nets/net.tsv"
expect 0 '^graph "other" {' import --name other -c 1Mbps "$nets/net.tsv"
expect 0 '// capacities: drawn' import --skew 0.7 --seed 3 "$nets/net.tsv"
expect 0 'capacity="100Mbps" capacity_back="30Mbps"' import "$nets/oneway.tsv"
expect 0 '"sw" \[kind=switch\]' import --switches 'x*,s?' "$nets/oneway.tsv"
expect 0 '"New_York" -- "Chicago" \[capacity="1Gbps" latency="5.7' import "$nets/net.gml"
expect 0 '"Chicago" -- "Chicago_n2" \[capacity="500Mbps" latency="3ms"\]' import "$nets/net.gml"
expect 0 '"alpha" -- "n1" \[capacity="2Gbps" latency="7ms"\]' import "$nets/net.graphml"
expect 0 '"name": "net"' import --json -c 1Mbps "$nets/net.tsv"
expect 0 '' import -o "$tmp/net.dot" -l 1ms -c 1Mbps "$nets/net.tsv"
expect 0 '3 hosts' topology "$tmp/net.dot"
expect 2 "must end in" import net.txt
expect 1 'cannot be opened' import nowhere.tsv
expect 1 "bad-capacity.tsv:1: capacity 'fast' cannot be read" import "$nets/bad-capacity.tsv"
expect 1 'bad-columns.tsv:1: two nodes' import "$nets/bad-columns.tsv"
expect 1 'host a has no path to host c' import "$nets/bad-disconnected.tsv"
expect 1 "bad-open.gml:3: a '\[' without its '\]'" import "$nets/bad-open.gml"
expect 1 'bad-edge.gml:2: a link without a source or a target' import "$nets/bad-edge.gml"
printf 'graph [ a\000b 1 ]' >"$tmp/nul.gml"
expect 1 'holds a NUL byte' import "$tmp/nul.gml"
expect 1 'bad-tag.graphml:4: .*not a GraphML file' import "$nets/bad-tag.graphml"
expect 0 '"leaf0" \[kind=switch\]' import -c 10Gbps "$nets/topology.conf"
expect 0 '"leaf0" -- "n02" \[capacity="10Gbps"\]' import -c 10Gbps "$nets/topology.conf"
expect 0 '"leaf1" -- "n05" \[capacity="25Gbps"\]' import -c 10Gbps "$nets/topology.conf"
expect 0 '"leaf2" -- "rack2gpu0" \[capacity="10Gbps"\]' import -c 10Gbps "$nets/topology.conf"
expect 0 '"spine" -- "leaf2" \[capacity="10Gbps"\]' import -c 10Gbps "$nets/topology.conf"
expect 1 'link leaf0-n00 is not known; give one with --capacity' import "$nets/topology.conf"
expect 1 "bad-list.conf:1: the list 'n\[0-3': a '\[' without its '\]'" import "$nets/bad-list.conf"
expect 1 "bad-range.conf:2: the list 'n\[3-1\]': brackets hold" import "$nets/bad-range.conf"
expect 0 '"b1" \[kind=switch\]' import -c 10Gbps "$nets/blocks.conf"
expect 0 '"b4" -- "n8" \[capacity="10Gbps"\]' import -c 10Gbps "$nets/blocks.conf"
expect 0 '"blocks_of_4_1" -- "b2" ' import -c 10Gbps "$nets/blocks.conf"
expect 0 '"blocks_of_4_2_" -- "b3" ' import -c 10Gbps "$nets/blocks.conf"
expect 0 '"b5" -- "blocks_of_4_2" ' import -c 10Gbps "$nets/blocks.conf"
expect 0 '"blocks" -- "b5" ' import -c 10Gbps "$nets/blocks.conf"
expect 1 'link b1-n1 is not known; give one with --capacity' import "$nets/blocks.conf"
expect 1 'bad-block.conf:2: a block needs BlockName= and Nodes=' import "$nets/bad-block.conf"
expect 1 "bad-sizes.conf:2: block size '12': sizes are whole numbers, each the first one times a power of two" \
    import "$nets/bad-sizes.conf"
expect 1 'bad-mixture.conf:2: switches and blocks are two topologies; keep one of them' import "$nets/bad-mixture.conf"
expect 1 'bad-twice.conf:2: block b0 is there already, or a node is called so; rename one' import "$nets/bad-twice.conf"
expect 1 'bad-quote.conf:1: .Nodes="a.* is no Key=value' import "$nets/bad-quote.conf"
printf 'RingName=r0\n' > "$tmp/ring.conf"
expect 1 'ring.conf:1: a ring needs RingName= and Nodes=' import "$tmp/ring.conf"
expect 1 'bad-include.conf:2: more than 8 files include each other' import "$nets/bad-include.conf"
expect 0 '"s1" -- "tux6" \[capacity="25Gbps"\]' import -c 10Gbps "$nets/sites.conf"
expect 0 '"s0" -- "tux3" ' import -c 10Gbps "$nets/sites.conf"
expect 0 '"s2" -- "s1" ' import -c 10Gbps "$nets/sites.conf"
expect 0 '"n3" \[kind=host\]' import -c 10Gbps "$nets/rings.conf"
expect 0 '"n0" -- "n3" ' import -c 10Gbps "$nets/rings.conf"
expect 0 '"m0" -- "m1" \[capacity="10Gbps"\]' import -c 10Gbps "$nets/rings.conf"
expect 0 '"rings" -- "m0" ' import -c 10Gbps "$nets/rings.conf"
expect 0 '"switches" -- "s1" ' import -c 1Gbps "$nets/forest.conf"
expect 1 'bad-switch.conf:1: a switch needs SwitchName=' import "$nets/bad-switch.conf"
if "$mtree" import "$nets/topology.yaml" 2>&1 | grep -q 'YAML is not read: python3 has no yaml'; then
    expect 1 'topology.yaml: YAML is not read' import "$nets/topology.yaml"
else
    expect 0 '^graph "racks" {' import -c 10Gbps "$nets/topology.yaml"
    expect 0 '"b2" -- "n04" \[capacity="10Gbps"\]' import -c 10Gbps "$nets/topology.yaml"
    expect 0 '"blocks_of_4_1" -- "b2" ' import -c 10Gbps --topology racks "$nets/topology.yaml"
    expect 0 '"root" -- "leaf2" ' import -c 10Gbps -t leaves "$nets/topology.yaml"
    expect 0 '"leaf2" -- "n04" ' import -c 10Gbps -t leaves "$nets/topology.yaml"
    expect 0 '^graph "other" {' import -c 10Gbps -t leaves -N other "$nets/topology.yaml"
    expect 1 "no topology in it is called 'rings'" import -t rings "$nets/topology.yaml"
    expect 1 'topology.yaml:23: topology all is neither a tree, nor of blocks, rings or toruses; name another' import -t all "$nets/topology.yaml"
    expect 0 '"n0" -- "n2" ' import -c 10Gbps "$nets/torus.yaml"
    expect 0 '"n2" -- "n5" ' import -c 10Gbps "$nets/torus.yaml"
    expect 0 '"n5" -- "n11" \[capacity="10Gbps"\]' import -c 10Gbps "$nets/torus.yaml"
    expect 0 '"n0" -- "n3" \[capacity="10Gbps"\]' import -c 10Gbps -t rings "$nets/torus.yaml"
    expect 1 'torus.yaml:15: a torus of 3 x 2 x 2 nodes, but its list has 10' import -t short "$nets/torus.yaml"
    expect 1 'torus.yaml:21: a torus needs dims: with x, y and z' import -t sizeless "$nets/torus.yaml"
    expect 1 'bad-open.yaml:3: not YAML: ' import "$nets/bad-open.yaml"
    expect 1 "bad-list.yaml:1: a list of topologies is needed, each beginning with '- topology: NAME'" import "$nets/bad-list.yaml"
    expect 1 "bad-switches.yaml:3: a list 'switches' is needed here" import "$nets/bad-switches.yaml"
    expect 1 'bad-switch.yaml:4: a switch needs switch:, and nodes: or children:' import "$nets/bad-switch.yaml"
    expect 1 'bad-block.yaml:4: a block needs block:, and nodes:' import "$nets/bad-block.yaml"
    expect 1 "bad-sizes.yaml:3: block size '6': sizes are whole numbers" import "$nets/bad-sizes.yaml"
    { printf '# '; head -c 1048576 /dev/zero | tr '\0' x; } >"$tmp/long.yaml"
    expect 1 'long.yaml: not a topology.yaml (over 1048576 bytes)' import "$tmp/long.yaml"
fi
expect 2 'import: --topology is about a topology.yaml, which has several' import -t leaves "$nets/topology.conf"
cp "$nets/net.graphml" "$tmp/graphml.xml"
expect 0 '"alpha" -- "n1" \[capacity="2Gbps" latency="7ms"\]' import "$tmp/graphml.xml"
expect 1 'nccl.xml:1: <system> is not GraphML.* it looks like NCCL' import "$nets/nccl.xml"
expect 1 'sndlib.xml:2: <network> is not GraphML.* it looks like SNDlib' import "$nets/sndlib.xml"
expect 1 'bad-object.xml:2: <topology> is not GraphML.* it looks like hwloc' import "$nets/bad-object.xml"
expect 0 '"G_ter_loh" ' import "$nets/escapes.gml"
expect 0 '^// source: Zürich <x> &nonsense;$' import "$nets/escapes.gml"
cp "$nets/net.gml" "$tmp/net.of.someone"
expect 0 '"New_York" -- ' import --format GML "$tmp/net.of.someone"
expect 2 "import: --format 'dot': the formats are tsv, gml," import --format dot "$tmp/net.of.someone"
expect 1 'bad-entity.graphml' import "$nets/bad-entity.graphml"
if grep -q root: "$tmp/out"; then
    failures=$((failures + 1))
    echo "FAILED: an external entity was read"
fi

# export: test_platform.py, test_smpi.py and test_msccl.py look at what is written
expect 0 '<router id="switch"/>' export --format simgrid "$maps/star-8.dot"
expect 0 '' export -f simgrid -o "$tmp/b4.xml" "$maps/b4.dot"
says "$tmp/b4.xml" '<route src="AS1" dst="US4" symmetrical="NO"><link_ctn id="AS1-&gt;US1"/><link_ctn id="US1-&gt;US4"/></route>'
expect 0 '' export -f simgrid --output "$tmp/star.xml" "$maps/star-8.dot"
# A reader that leaves is no error.
expect 0 '' generate torus:12x12 -o "$tmp/large.dot"
"$mtree" export -f simgrid "$tmp/large.dot" 2>"$tmp/out" | head -1 >"$tmp/first"
[ ! -s "$tmp/out" ] || {
    failures=$((failures + 1))
    echo "FAILED: mtree export tells of a reader that leaves"
}
expect 2 'export: --format FORMAT is needed; see' export "$maps/b4.dot"
expect 2 "export: no format 'dot'; use one of simgrid, msccl" export -f dot "$maps/b4.dot"
expect 1 'nowhere.dot: cannot be opened' export -f simgrid nowhere.dot
expect 1 'dir: cannot be written' export -f simgrid -o "$tmp/no/such/dir" "$maps/b4.dot"
expect 0 '^allgather' plan -C allgather -o "$tmp/ring.json" -a ring "$maps/star-8.dot"
expect 0 '^<algo name="mtree_allgather_8" .* nchunksperloop="512" ngpus="8" coll="allgather"' export -f msccl "$tmp/ring.json"
expect 0 ' nchunksperloop="16" ' export -f msccl -c 2 "$tmp/ring.json"
expect 0 ' nchunksperloop="24" ' export -f msccl --chunks 3 "$tmp/ring.json"
expect 2 "export: --chunks '0': a whole number from 1 to 4096" export -f msccl -c 0 "$tmp/ring.json"
expect 1 'dir: cannot be written' export -f msccl -o "$tmp/no/such/dir" "$tmp/ring.json"
# A pipe is read once, whatever its name.
piped() { # FORMAT FILE PATTERN
    for name in - /dev/stdin /dev/fd/3; do
        # shellcheck disable=SC2094
        cat "$2" | "$mtree" export -f "$1" "$name" 3<&0 >"$tmp/out" 2>&1
        says "$tmp/out" "$3"
    done
}
piped msccl "$tmp/ring.json" '^<algo name="mtree_allgather_8" '
piped simgrid "$maps/star-8.dot" '<router id="switch"/>'
expect 0 '^bcast' plan -C bcast -o "$tmp/bcast.json" "$maps/star-8.dot"
expect 1 'a plan of bcast is not written for MSCCL: an algorithm of MSCCL serves calls of any root; allreduce' \
    export -f msccl "$tmp/bcast.json"
expect 0 '^alltoall' plan -C alltoall -o "$tmp/alltoall.json" "$maps/star-8.dot"
expect 1 'a plan of alltoall is not written for MSCCL: its trees carry something else on each edge' \
    export -f msccl "$tmp/alltoall.json"
"$mtree" generate star:40 >"$tmp/star-40.dot"
expect 0 '^allgather' plan -C allgather -a direct -o "$tmp/direct.json" "$tmp/star-40.dot"
expect 1 'direct.json: MSCCL takes at most 256 steps per thread block, 32 peers per channel and 216' \
    export -f msccl "$tmp/direct.json"
expect 1 'nowhere.json: cannot be opened' export -f msccl nowhere.json
expect 0 '^order of hosts: ' plan -a exchange -o "$tmp/exchange.json" "$maps/star-8.dot"
expect 1 'exchange.json: exchange has no trees, and those are what is written for MSCCL' export -f msccl "$tmp/exchange.json"
expect 0 '^allreduce of 8 B by exchange: ' simulate -b 8 -p "$tmp/exchange.json" "$maps/star-8.dot"
expect 1 'staged_exchange: 100000000 bytes from each of 8 hosts; it serves up to' plan -a staged_exchange -b 100000000 "$maps/star-8.dot"
expect 1 'swing: 1000 bytes from each of 8 hosts; it serves up to' plan -a swing -b 1000 "$maps/star-8.dot"
expect 1 'exchange: 1000000000 bytes from each of 8 hosts' plan -a exchange -b 1000000000 "$maps/star-8.dot"

# plan
expect 0 '^throughput: .* that no plan can exceed' plan "$maps/b4.dot"
expect 0 '^limited by: link' plan "$maps/b4.dot"
expect 0 '^least possible time: 91.1 ms, by flow: the flow from AS2 to EU2$' plan -b 64K "$maps/b4.dot"
expect 0 '"bound_by": "latency"' plan -j -b 8 "$maps/b4.dot"
says "$tmp/out" '"bound_seconds": 0.08802'
says "$tmp/out" '"bound_limit": "the path from AS2 to EU2"'
expect 0 '^allgather over 12 hosts' plan --collective allgather "$maps/b4.dot"
expect 0 '^tree 1: .*$' plan -C bcast --root EU1 "$maps/b4.dot"
says "$tmp/out" '^  EU1$'
expect 0 '^allreduce over 3 hosts' plan --hosts AS1,US1,AS2 "$maps/b4.dot"

# relays
expect 0 '^relays: [1-9][0-9]* of 10 used, 2.47 times the 190 Mb/s without them; no algorithm exceeds 470 Mb/s' \
    plan --hosts US1,EU4 --relays all -C bcast "$maps/b4.dot"
expect 0 '^    US2 (relay)' plan --hosts US1,EU4 --relays US2,EU2 -C bcast "$maps/b4.dot"
expect 0 '"cut_bound_bps": 470000000' plan -j --hosts US1,EU4 --relays all "$maps/b4.dot"
expect 0 '^  relays  *[0-9]' compare -b 64M --hosts US1,EU4 --relays all "$maps/b4.dot"
expect 0 '"relays": \[' draw -j --hosts US1,EU4 --relays all "$maps/b4.dot"
expect 0 '' draw --hosts US1,EU4 --relays all "$maps/b4.dot" -o "$tmp/relays.dot"
says "$tmp/relays.dot" 'tooltip="a relay"'
expect 0 '' plan --hosts US1,EU4 --relays all -o "$tmp/relayed.json" "$maps/b4.dot"
expect 0 'every tree spans' check "$tmp/relayed.json" "$maps/b4.dot"
expect 0 '^allreduce of 4 MB by relays' simulate -b 4M --plan "$tmp/relayed.json" "$maps/b4.dot"
sed 's/"EU2"/"EU9"/g' "$tmp/relayed.json" >"$tmp/unknown.json"
expect 1 'plan: relay EU9 is no host of b4; plan with this topology' simulate --plan "$tmp/unknown.json" "$maps/b4.dot"
expect 1 'the plan has relays, and MSCCL knows the GPUs of the call alone' export -f msccl "$tmp/relayed.json"
expect 0 '^relays: none used, there are none' plan --hosts US1,EU4 --relays marked "$maps/b4.dot"
expect 0 '^allreduce of 1 MB by recursive_doubling' simulate -b 1M --hosts US1,EU4 --relays marked "$maps/b4.dot"
expect 0 "planned by $published" plan --algorithm $published "$maps/b4.dot"
expect 0 '^tree 1:' plan --trees 1 "$maps/b4.dot"
checks=$((checks + 1))
if grep -q '^tree 2:' "$tmp/out"; then
    failures=$((failures + 1))
    echo "FAILED: --trees 1 gave two trees"
fi
expect 0 '^tree 1:.* 100.0 % of the message, [1-4] hops' plan -t 1 --height 4 "$maps/b4.dot"
expect 0 '^tree 1:' plan --min-rate 50Mbps --trees 0 "$maps/b4.dot"
expect 0 '^predicted time of 16 MB: ' plan --size 16M "$maps/b4.dot"
expect 0 '"throughput_bps"' plan --json "$maps/b4.dot"
expect 0 '^allreduce' plan --seed 5 -a $published -o "$tmp/plan.json" "$maps/b4.dot"
says "$tmp/plan.json" '"collective": *"allreduce"'
expect 2 "plan: --collective 'sum'" plan -C sum "$maps/b4.dot"
expect 2 "--trees '-1'" plan -t -1 "$maps/b4.dot"
expect 2 "--height 'x'" plan -e x "$maps/b4.dot"
expect 2 "--min-rate 'x'" plan -m x "$maps/b4.dot"
expect 2 "--size '1Q'" plan -b 1Q "$maps/b4.dot"
expect 2 "plan: --size '0': it must be more than 0; write it like 16M" plan -b 0 "$maps/b4.dot"
expect 1 'packing finds no tree of at most 1 hops over these 12 hosts' plan -e 1 "$maps/b4.dot"
expect 1 'no tree of at most 1 hops' plan -e 1 -C allgather -b 1M "$maps/b4.dot"
expect 2 "--seed 'x'" plan -s x "$maps/b4.dot"
expect 1 "no host 'nobody'" plan -H nobody "$maps/b4.dot"
expect 1 "host 'AS1' twice" plan -H AS1,AS1 "$maps/b4.dot"
expect 1 "--root 'EU1' is not among --hosts" plan -C bcast -H AS1,AS2 -R EU1 "$maps/b4.dot"
expect 0 'limited by: links US5-EU3 and US6-EU2' plan -C alltoall "$maps/b4.dot"
expect 0 '100.0 % of what its root sends' plan -C alltoall -b 1M -t 1 "$maps/b4.dot"
expect 0 '100.0 % of what its root sends' plan -C scan -b 1M -t 1 "$maps/b4.dot"
expect 0 'limited by: links AS1-US1 and AS2-US3' plan -C gather "$maps/b4.dot"
expect 0 '' draw -C scatter -R US4 -o "$tmp/scatter.dot" "$maps/b4.dot"
expect 1 'clever' plan -a clever "$maps/b4.dot"

# check
expect 0 'no link is over its capacity' check "$tmp/plan.json" "$maps/b4.dot"
expect 0 'every tree spans, shares sum to one$' check "$tmp/plan.json"
expect 0 '"valid": true' check --json "$tmp/plan.json" "$maps/b4.dot"
"$mtree" topology "$maps/b4.dot" >/dev/null
sed 's/capacity="[0-9]*Mbps"/capacity="1Mbps"/' "$maps/b4.dot" >"$tmp/thin.dot"
expect 1 'capacity' check "$tmp/plan.json" "$tmp/thin.dot"
expect 1 "no host" check "$tmp/plan.json" "$maps/abilene.dot"
# Plans in lockstep: their steps are saved, read and kept to.
for algorithm in multitree optree ring; do
    expect 0 '^allgather' plan -a $algorithm -C allgather -o "$tmp/steps.json" "$maps/torus-4x4.dot"
    says "$tmp/steps.json" '"steps"'
    expect 0 'every tree spans' check "$tmp/steps.json" "$maps/torus-4x4.dot"
    expect 0 '^240 messages' simulate --plan "$tmp/steps.json" "$maps/torus-4x4.dot"
done
expect 0 '^allreduce' plan -a ring -o "$tmp/steps.json" "$maps/star-8.dot"
expect 0 '^112 messages' simulate --plan "$tmp/steps.json" "$maps/star-8.dot"
tr -d ' \n' <"$tmp/steps.json" | sed 's/"steps":\[1,/"steps":[7,/' >"$tmp/late.json"
expect 1 'a later one than its parent' check "$tmp/late.json"
tr -d ' \n' <"$tmp/steps.json" | sed 's/"steps":\[1,/"steps":[/' >"$tmp/short.json"
expect 1 '"steps" and "edges" differ' check "$tmp/short.json"
echo '{"collective": "allreduce"}' >"$tmp/bad.json"
expect 1 'bad.json' check "$tmp/bad.json"
expect 1 '"valid": false' check -j "$tmp/bad.json"

# What competed, and why some did not.
expect 0 '^  exchange .*: its estimate is much slower' plan --why -b 1M "$maps/b4.dot"
expect 0 '"candidates": \[' plan --why --json -b 1M "$maps/b4.dot"
expect 0 '^  ring .*(times 1.5: whole blocks fill queues): its estimate is much slower' plan --why -b 256K "$maps/star-8.dot"

# simulate
expect 0 '^allreduce of 1 MB by packing, .* of the bound$' simulate --size 1M "$maps/abilene.dot"
says "$tmp/out" '^  [^ ]* *> [^ ]* *[0-9.]* %$'
expect 0 "^allreduce of 16 MB by $published" simulate --plan "$tmp/plan.json" "$maps/b4.dot"
expect 0 '^bcast of 64 KB by latency, 1 tree' simulate -C bcast -R EU1 -b 64K "$maps/b4.dot"
expect 0 '"share_of_bound": ' simulate --json -b 1M "$maps/star-8.dot"
says "$tmp/out" '"bound_by": "cut"'
# What no rank has a part of needs no time.
expect 0 '"share_of_bound": 0.0' simulate --json -C gather -b 8 "$maps/star-8.dot"
says "$tmp/out" '"busy": '
star=$maps/star-8.dot
expect 0 "^allreduce of 1 MB by $published, 1 tree: " simulate -b 1M -a $published -t 4 -e 1 -s 3 "$star"
expect 0 '^allreduce of 1 MB by packing, 3 trees' simulate -b 1M --algorithm packing --trees 3 --min-rate 1Mbps "$star"
expect 0 '^allreduce of 1 MB by [a-z]*, 3 trees' simulate -b 1M --hosts h0,h1,h2 "$star"
# Trees from 8 hosts, each with 9 chunks and a message more for each rank that hangs below its host's first one.
expect 0 '^2160 messages' simulate -b 1M --ranks-per-host 2 "$star"
expect 0 '^224 messages' simulate -b 1M --chunk 64K "$star"
# took OPTIONS...: the seconds that a simulation takes with them.
took() {
    "$mtree" simulate -j -b 1M "$@" "$star" | sed -n 's/.*"seconds": \([0-9.e-]*\).*/\1/p' | head -1
}
# longer WHY LONG SHORT: the first time is the longer one.
longer() {
    checks=$((checks + 1))
    awk "BEGIN { exit !($2 > $3) }" || {
        failures=$((failures + 1))
        echo "FAILED: $1: $2 s, not more than $3 s"
    }
}
longer "a rank's overhead" "$(took --overhead 1ms)" "$(took --overhead 20us)"
longer "messages that ask first" "$(took --eager 1K)" "$(took --eager 1M)"
far=$tmp/far-apart.dot
sed 's/capacity="1Gbps"/& latency="20ms"/' "$star" >"$far"
star=$far
longer "connections with a window" "$(took --window 16K)" "$(took --window 16M)"
star=$maps/star-8.dot
expect 0 '^allreduce of' simulate -p "$tmp/plan.json" -C allreduce "$maps/b4.dot"
expect 1 '^mtree: simulate: --collective gather: .*/plan.json is a plan for allreduce; leave one of them out$' \
    simulate -p "$tmp/plan.json" -C gather "$maps/b4.dot"
expect 1 "no host" simulate -p "$tmp/plan.json" "$maps/abilene.dot"
expect 2 "--ranks-per-host '0'" simulate --ranks-per-host 0 "$maps/b4.dot"

# compare
expect 0 '^  packing  *[0-9]' compare --size 1M --algorithms packing,$published,openmpi "$maps/b4.dot"
says "$tmp/out" '^  openmpi (.*) .*[0-9] %$'
says "$tmp/out" ' times as fast as openmpi (.*), Open MPI.s best here.$'
expect 0 "^openmpi:ring, Open MPI.s own, is .* times as fast as $published" \
    compare -b 1M -a $published,openmpi:ring "$maps/star-8.dot"
expect 0 "\"fastest_plan\": \"$published\"" compare -j -b 1M -a $published,openmpi:ring "$maps/star-8.dot"
expect 0 '"bound_seconds": ' compare -j -b 1M -a openmpi:ring "$maps/star-8.dot"
expect 0 '^bcast of 1 MB, 6 ranks on 3 hosts of star:8$' compare -b 1M -a packing,openmpi:pipeline -C bcast --root h3 \
    --hosts h3,h1,h2 --trees 1 --height 1 --min-rate 1Mbps --seed 2 --ranks-per-host 2 --chunk 32K \
    --eager 1K --overhead 1ms --window 64K "$maps/star-8.dot"
says "$tmp/out" '^  packing  *1 '
expect 0 '^  openmpi:pipeline ' compare -b 1M -a openmpi:pipeline -C bcast "$maps/star-8.dot"
whole=$(sed -n 's/^  openmpi:pipeline *- *\([0-9.]*\) ms.*/\1/p' "$tmp/out")
expect 0 '^  openmpi:pipeline ' compare -b 1M -a openmpi:pipeline -C bcast --segment 32K "$maps/star-8.dot"
longer "whole messages in a pipeline" "$whole" \
    "$(sed -n 's/^  openmpi:pipeline *- *\([0-9.]*\) ms.*/\1/p' "$tmp/out")"
expect 1 "no allreduce by 'rnig' (did you mean ring?)" compare -a openmpi:rnig "$maps/b4.dot"
expect 1 "Open MPI has no allreduce by 'magic'" compare -a openmpi:magic "$maps/b4.dot"
expect 1 'no algorithm pakcing (did you mean packing?)' compare -a pakcing,openmpi "$maps/b4.dot"
expect 1 "there is no algorithm loop" compare -a loop "$maps/b4.dot"

# draw
pictures='svg png pdf dot'
command -v dot >/dev/null || pictures=dot
# Without Graphviz, on a circle.
mkdir "$tmp/python"
ln -s "$(python3 -c "import sys; print(sys.executable)")" "$tmp/python/python3"
printf '#!/bin/sh\nPATH=%s exec %s "$@"\n' "$tmp/python" "$mtree" >"$tmp/without_dot"
chmod +x "$tmp/without_dot"
whole=$mtree mtree=$tmp/without_dot
expect 1 "svg is not drawn: Graphviz' program dot is not there; draw to a .dot file" draw -n "$maps/b4.dot" -o "$tmp/map.svg"
expect 0 '' draw -n "$maps/b4.dot" -o "$tmp/circle.dot"
mtree=$whole
says "$tmp/circle.dot" 'v0 .*pos="4.584,0.000!"'
for format in $pictures; do
    expect 0 '' draw "$maps/b4.dot" --plan "$tmp/plan.json" -o "$tmp/map.$format"
    [ -s "$tmp/map.$format" ] || failures=$((failures + 1))
done
[ "$pictures" = dot ] || says "$tmp/map.svg" '<svg'
[ "$pictures" = dot ] || says "$tmp/map.svg" 'root '
says "$tmp/map.dot" '^graph map {'
# Without positions Graphviz makes a map wider than it is high.
awk '/^  v[0-9]+ \[/ {
        split($0, part, "pos=\""); split(part[2], at, "[,!]")
        if (count++ == 0) { left = right = at[1]; low = high = at[2] }
        left = at[1] < left ? at[1] : left; right = at[1] > right ? at[1] : right
        low = at[2] < low ? at[2] : low; high = at[2] > high ? at[2] : high
    }
    END { print ((count == 12 && right - left > high - low) ? "wide" : "not wide") }' "$tmp/map.dot" >"$tmp/shape"
[ "$pictures" = dot ] || says "$tmp/shape" '^wide'
expect 0 '' draw "$maps/star-8.dot" --output "$tmp/star.dot"
says "$tmp/star.dot" 'shape=box'
# A host overseas comes nearer, and leaves room for those close together; a grid stays as it is.
echo 'graph {
    a [pos="0,0"]; b [pos="1,0"]; c [pos="0,1"]; d [pos="1,1"]; e [pos="0,2"]; f [pos="100,1"];
    a -- b [capacity="1Mbps"]; b -- c [capacity="1Mbps"]; c -- d [capacity="1Mbps"];
    d -- e [capacity="1Mbps"]; d -- f [capacity="1Mbps"]; }' >"$tmp/far.dot"
expect 0 '' draw "$tmp/far.dot" -o "$tmp/far-map.dot"
says "$tmp/far-map.dot" 'v5 .*pos="13[.]'
expect 0 '' draw "$maps/torus-4x4.dot" -o "$tmp/torus-map.dot"
says "$tmp/torus-map.dot" 'pos="5.470,5.472!"'
expect 0 '"use": \[' draw --json "$maps/b4.dot" --trees 2
expect 0 '"use": \[' draw --json -C bcast -R h3 -H h3,h1,h2 -a packing -e 2 -m 1Mbps -s 2 -b 1M "$maps/star-8.dot"
expect 2 'whose name ends in .svg' draw "$maps/b4.dot"
expect 2 'whose name ends in .svg' draw "$maps/b4.dot" -o map.jpeg
for format in $pictures; do
    expect 0 '' draw "$maps/b4.dot" -t 3 -o "$tmp/trees.$format"
    [ -s "$tmp/trees.$format" ] || failures=$((failures + 1))
done
[ "$pictures" = dot ] || says "$tmp/trees.svg" 'tree 3<'
expect 0 '' draw --network "$maps/b4.dot" -o "$tmp/network.dot"
says "$tmp/network.dot" 'links: capacity, latency; the wider, the faster'
says "$tmp/map.dot" 'links: capacity, use, latency; the wider, the fuller'
expect 2 'draw: --network draws no trees; leave the other options out' draw -n -t 2 "$maps/b4.dot" -o "$tmp/x.svg"
# Hosts without a position go around the switch that has one, away from its other links; there are trees by
# default, and the long links, which limit them, are the widest.
expect 0 '' draw "${srcdir:-.}/examples/sites.dot" -o "$tmp/sites-map.dot"
awk -v sites=3 '/^  v[0-9]+ \[/ { split($0, part, "pos=\""); split(part[2], at, "[,!]"); x[++n] = at[1]; y[n] = at[2] }
    /^  v[0-9]+ -- / { split($0, part, "penwidth="); width = part[2] + 0; wan = $1 ~ /v[012]$/ && $3 ~ /v[012]$/
        if (wan && (least == 0 || width < least)) least = width
        if (!wan && width > most) most = width }
    END { far = 0
        for (i = sites + 1; i <= n; i++) {
            home = int((i - sites - 1) / 2) + 1; far += sqrt((x[i] - x[home]) ^ 2 + (y[i] - y[home]) ^ 2) > 1.6 }
        print (n == 9 && far == 0 && x[1] < x[2] && y[3] < y[1] && y[1] < y[2] && least > 2 * most) ? "a map" : "no map" }' \
    "$tmp/sites-map.dot" >"$tmp/shape"
says "$tmp/shape" '^a map'
expect 2 'exclude each other' draw "$maps/b4.dot" -p "$tmp/plan.json" -t 2 -o "$tmp/x.svg"
expect 1 'cannot be written' draw "$maps/b4.dot" -o "$tmp/no/dir/x.dot"

# relay: its status and limits; tests/mpi/relays.test has calls pass through it
head -c 32 /dev/urandom >"$tmp/secret"
expect 2 "relay: --memory '0': it must be more than 0; write it like 256M" relay --secret "$tmp/secret" --memory 0
if ! "$mtree" relay -s "$tmp/none" 2>&1 | grep -q 'relays are not supported: mtree was built without'; then
    expect 1 'secret .*: others than its owner may use it; chmod 600' relay --secret "$tmp/secret"
    expect 1 'secret /: it is no regular file' relay --secret /
    chmod 600 "$tmp/secret"
    "$mtree" relay --secret "$tmp/secret" --port 0 --jobs 2 --memory 64M --rate 1Gbps --status 50ms --json >"$tmp/relay" 2>&1 &
    relay=$!
    sleep 0.5
    kill "$relay"
    wait "$relay"
    says "$tmp/relay" '"turned_away": 0'
    test "$(grep -c '"port": [1-9]' "$tmp/relay")" -gt 2 || says "$tmp/relay" 'its status more than twice'
    "$mtree" relay -s "$tmp/secret" -p 0 -n 2 -m 64M -r 1Gbps -S 1s >"$tmp/relay" 2>&1 &
    relay=$!
    sleep 0.3
    expect 1 "relay: port [0-9]* is not free" relay -s "$tmp/secret" -p "$(sed -n 's/^port \([0-9]*\):.*/\1/p' "$tmp/relay")"
    kill "$relay"
    wait "$relay"
    says "$tmp/relay" '^port [0-9]*: 0 jobs (0 so far), 0 peers; calls: 0 under way, 0 done, 0 failed'
    echo short >"$tmp/secret"
    expect 1 'secret .*: 6 bytes; 16 to 4096 are needed' relay --secret "$tmp/secret"
    expect 1 'secret .*/none: No such file' relay --secret "$tmp/none"
fi
expect 2 'relay: --secret FILE is needed' relay
expect 2 'relay: it takes options alone; see' relay x

# doctor: saved facts, and options that only labs use
facts=${srcdir:-.}/tests/fixtures/doctor
expect 0 '^nothing found on 3 hosts$' doctor --facts "$facts/sound.json"
expect 1 '^connections to c, port 1024, are dropped' doctor -F "$facts/ports-low.json"
expect 1 '"kind": "nat"' doctor --json --facts "$facts/nat.json" --output "$tmp/facts.json"
expect 1 '"kind": "nat"' doctor -j -F "$tmp/facts.json"
expect 2 "doctor: /nonexistent: cannot be read: No such file or directory$" doctor --facts /nonexistent
expect 2 "doctor: .*: cannot be written: " doctor --facts "$facts/sound.json" -o "$tmp/no/dir/x.json"
expect 2 "doctor: --hosts 'n\[0': a '\[' without its '\]'" doctor --hosts 'n[0'
expect 2 "doctor: --mca 'x': NAME=VALUE is needed" doctor --mca x
expect 2 "doctor: it takes options alone; see" doctor x
expect 2 "doctor: .*/plan.json: no facts; write them with mtree doctor --output" doctor --facts "$tmp/plan.json"
expect 2 "doctor: /dev/zero: longer than facts are; " doctor --facts /dev/zero
expect 2 "doctor: /dev/zero: longer than a hostfile is; " doctor --hostfile /dev/zero
sed 's/"ports"/"prots"/' "$facts/sound.json" >"$tmp/facts.json"
expect 1 '^the facts of a are not all there: facts.ports is missing' doctor --facts "$tmp/facts.json"
expect 2 "doctor: --agent '/nonexistent': there is no such program" doctor --agent /nonexistent --hosts a
expect 2 "doctor: /dev/null: names no host; write one name per line" doctor --hostfile /dev/null
expect 2 "doctor: /nonexistent: cannot be read: " doctor --hostfile /nonexistent
echo 'n1 slots=2
-oProxyCommand=true' >"$tmp/hostfile"
expect 2 "doctor: .*/hostfile: '-oProxyCommand=true' cannot be a host's name; write one name per line" doctor -f "$tmp/hostfile"
expect 2 "doctor: '-x' cannot be a host's name" doctor --hosts=-x

# The examples of the documents.
docs=${srcdir:-.}/docs
sed -n '/^```dot$/,/^```$/p' "$docs/topology-file.md" | grep -v '^```' >"$tmp/three.dot"
expect 0 'three (.*): 3 hosts, 1 switch, 4 links' topology "$tmp/three.dot"
expect 0 '^  paris > ix > rome  (15 ms)' topology --routes "$tmp/three.dot"
sed -n '/^```json$/,/^```$/p' "$docs/plan-file.md" | grep -v '^```' >"$tmp/hand.json"
expect 0 '2 trees over 3 hosts' check "$tmp/hand.json"
expect 0 '' plan "$tmp/three.dot" -o "$tmp/three.json"
expect 0 'no link is over its capacity' check "$tmp/three.json" "$tmp/three.dot"

echo "$checks checks, $failures failures"
[ $failures -eq 0 ]
