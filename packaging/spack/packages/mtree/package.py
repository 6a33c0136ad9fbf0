# SPDX-License-Identifier: BSD-3-Clause
import os

from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *

CLONE = os.path.realpath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))


class Mtree(AutotoolsPackage):
    """Open MPI collectives for networks that are not uniform: several spanning trees are
    packed into a network that is given or measured, and carry each message at once.
    With a planner, a simulator and a lab for such networks."""

    homepage = f"file://{CLONE}/README.md"
    git = f"file://{CLONE}"  # the clone that this recipe is in

    license("BSD-3-Clause")

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("autoconf", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("libtool", type="build")
    depends_on("m4", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("check@0.10:", type="build")

    variant(
        "glpk",
        default=True,
        description="Published algorithms that need GLPK; it is under the GPL, as is mtree with it",
    )

    # A component fits the release series that it was built for.  Its headers come with
    # --with-devel-headers, which the openmpi of this repository adds.
    depends_on("openmpi@4.1,5.0,6.0")
    depends_on("glpk", when="+glpk")
    depends_on("graphviz", type="run")
    depends_on("hwloc@2.1:")
    depends_on("jansson@2.10:")
    depends_on("openssl")
    depends_on("py-pyyaml", type="run")
    depends_on("python@3.8:", type="run")

    @property
    def component_dir(self):
        return os.path.join(self.prefix.lib, "openmpi")

    def configure_args(self):
        args = [
            f"--with-openmpi={self.spec['openmpi'].prefix}",
            f"--with-component-dir={self.component_dir}",
            "--without-mpich",
        ]
        if self.spec.satisfies("~glpk"):
            args.append("--without-glpk")
        return args

    def setup_run_environment(self, env):
        env.set(
            "OMPI_MCA_mca_base_component_path",
            f"{self.component_dir}:SYS_DEFAULT:USER_DEFAULT",
        )
        if self.spec.satisfies("^openmpi@5:"):
            # PMIx would look for its own components there, and complain (docs/openmpi.md).
            env.set("PMIX_MCA_mca_base_component_path", "/sys")
