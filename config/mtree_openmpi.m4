dnl SPDX-License-Identifier: BSD-3-Clause
# MTREE_CHECK_OPENMPI: find Open MPI, its developer headers and its component folder.
#
# Sets OPENMPI_CPPFLAGS, OPENMPI_VERSION, MPICC, MPIRUN, componentdir.  The headers are tried by
# compiling: distributions ship them incompletely, and coll_mtree/shims/ holds what Debian leaves out.
AC_DEFUN([MTREE_CHECK_OPENMPI], [
AC_ARG_WITH([openmpi],
    [AS_HELP_STRING([--with-openmpi=PREFIX], [use the Open MPI installed under PREFIX])],
    [], [with_openmpi=yes])
AC_ARG_WITH([component-dir],
    [AS_HELP_STRING([--with-component-dir=DIR],
                    [install the component to DIR instead of Open MPI's own folder])])

AS_IF([test "x$with_openmpi" = xno],
      [AC_MSG_ERROR([mtree is an Open MPI component: --without-openmpi is not supported])])
AS_IF([test "x$with_openmpi" = xyes], [ompi_path=$PATH], [ompi_path=$with_openmpi/bin])
AC_PATH_PROGS([MPICC], [mpicc.openmpi mpicc], [], [$ompi_path])
AC_PATH_PROGS([OMPI_INFO], [ompi_info], [], [$ompi_path])
AC_PATH_PROGS([MPIRUN], [mpirun.openmpi mpirun], [], [$ompi_path])
AS_IF([test -z "$MPICC"],
      [MTREE_MISSING([Open MPI's mpicc], [looked in $ompi_path], [libopenmpi-dev])])
AS_IF([test -z "$OMPI_INFO" || test -z "$MPIRUN"],
      [MTREE_MISSING([Open MPI's ompi_info or mpirun], [looked in $ompi_path], [openmpi-bin])])

AC_MSG_CHECKING([for the version of Open MPI])
OPENMPI_VERSION=`$OMPI_INFO --parsable --version 2>/dev/null | sed -n 's/^ompi:version:full://p'`
AS_IF([test -z "$OPENMPI_VERSION"],
      [OPENMPI_VERSION=`$OMPI_INFO --version 2>/dev/null | sed -n '1s/.*v//p'`])
AC_MSG_RESULT([$OPENMPI_VERSION])
AS_CASE([$OPENMPI_VERSION],
        [4.1.*|5.0.*|6.0.*], [],
        [AC_MSG_ERROR([Open MPI $OPENMPI_VERSION is not supported: 4.1, 5.0 and 6.0 are])])

# System headers: what the compiler finds in them is not ours to mend.
OPENMPI_CPPFLAGS=
for dir in `$MPICC --showme:incdirs`; do
    OPENMPI_CPPFLAGS="$OPENMPI_CPPFLAGS -isystem $dir"
    AS_IF([test -d "$dir/openmpi"],
          [OPENMPI_CPPFLAGS="$OPENMPI_CPPFLAGS -isystem $dir/openmpi"])
done
# Open MPI 5 names pmix.h in its headers; Debian keeps it apart.
pmix_cppflags=
for dir in /usr/lib/*/pmix2/include; do
    AS_IF([test -z "$pmix_cppflags" && test -e "$dir/pmix.h"], [pmix_cppflags="-isystem $dir"])
done
OPENMPI_CPPFLAGS="$OPENMPI_CPPFLAGS $pmix_cppflags"

mtree_try_headers() {
    mtree_saved_cppflags=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $OPENMPI_CPPFLAGS $mtree_shims"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
        #include "ompi_config.h"
        #include "ompi/mca/coll/coll.h"
        #include "ompi/mca/coll/base/base.h"
        #include "ompi/mca/coll/base/coll_base_util.h"
        #include "ompi/mca/pml/pml.h"
        #include "ompi/op/op.h"
        #include "ompi/communicator/communicator.h"
        ]], [[mca_coll_base_module_t module; (void)module;]])],
        [mtree_headers=yes], [mtree_headers=no])
    CPPFLAGS=$mtree_saved_cppflags
}
AC_MSG_CHECKING([for Open MPI's developer headers])
mtree_shims=
mtree_try_headers
AS_IF([test $mtree_headers = no], [
    mtree_shims="-I`cd "$srcdir" && pwd`/coll_mtree/shims"
    mtree_try_headers
    AS_IF([test $mtree_headers = yes], [
        OPENMPI_CPPFLAGS="$OPENMPI_CPPFLAGS $mtree_shims"
        mtree_headers="yes, with our shims for those left out"])])
AC_MSG_RESULT([$mtree_headers])
AS_IF([test "$mtree_headers" = no],
      [AC_MSG_ERROR([Open MPI $OPENMPI_VERSION's developer headers do not compile (see config.log); on Debian: apt-get install libopenmpi-dev; elsewhere configure Open MPI with --with-devel-headers])])

AS_IF([test -n "$with_component_dir"], [componentdir=$with_component_dir],
      [componentdir=`$OMPI_INFO --parsable --path pkglibdir | sed -n 's/.*://p'`])
AS_IF([test -z "$componentdir"],
      [AC_MSG_ERROR([ompi_info does not tell where components go; give --with-component-dir=DIR])])
AC_SUBST([componentdir])
AC_SUBST([OPENMPI_CPPFLAGS])
AC_SUBST([OPENMPI_VERSION])
])
