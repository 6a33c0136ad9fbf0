# SPDX-License-Identifier: BSD-3-Clause
# Sourced by quickstart.sh and runtests.sh: the packages, then a build in ./build.
#
# Sets `build`.  Needs `top`, the source folder.  build_all() passes `configure_options` on.

build=$top/build
configure_options=()

packages="gcc make autoconf automake libtool pkg-config openmpi-bin libopenmpi-dev libhwloc-dev
    libglpk-dev graphviz libjansson-dev libssl-dev openssl check python3 python3-yaml iproute2 nftables
    bash-completion mandoc groff gfortran"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }

die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Without root nothing can be installed: then the missing packages are named.
install_packages() {
    local missing=""
    command -v dpkg-query >/dev/null || return 0
    for package in $packages "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "install ok installed" ||
            missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    [ "$(id -u)" = 0 ] ||
        die "these packages are missing; as root: apt-get install$missing"
    say "Installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null || die "apt-get update failed: is there a package source?"
    # A machine that updates itself may hold dpkg's lock for a while.
    # shellcheck disable=SC2086 # a list
    apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends $missing >"$top/apt.log" 2>&1 ||
        { tail -5 "$top/apt.log" >&2; die "apt-get install failed, see apt.log"; }
}

# Output of a step goes to a log, which is shown when the step fails.
quietly() {
    local log=$build/$1.log
    shift
    "$@" >"$log" 2>&1 || { tail -20 "$log" >&2; die "'$*' failed, see $log"; }
}

build_all() {
    say "Building in $(basename "$build")/"
    mkdir -p "$build"
    [ -x "$top/configure" ] && [ "$top/configure" -nt "$top/configure.ac" ] ||
        quietly autogen "$top/autogen.sh"
    cd "$build"
    [ -e Makefile ] || quietly configure "$top/configure" "${configure_options[@]}"
    quietly make make -j"$(nproc)" all
    cd "$top"
}

# mpirun refuses root unless told, and more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 # 4.1
export PRTE_MCA_rmaps_default_mapping_policy=slot:oversubscribe # 5.0
