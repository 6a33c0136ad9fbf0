#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipes, without Spack: they load, and configure knows the options that they give it.

What Spack offers a recipe stands in as little as the recipes need of it.
"""

import importlib.util
import os
import subprocess
import sys
import types

SOURCE = os.path.abspath(os.environ.get("srcdir", "."))


class Package:
    """What a recipe is derived from."""

    def configure_args(self):
        return ["--enable-shared"]


class Prefix(str):
    lib = property(lambda self: f"{self}/lib")


class Spec(dict):
    def satisfies(self, constraint):
        return constraint in self["constraints"]


class Environment(dict):
    set = dict.__setitem__


def stand_in():
    """The modules that recipes import; directives are taken down in `said`."""
    said = []
    directives = {
        name: lambda *values, _name=name, **options: said.append((_name, *values))
        for name in ("license", "version", "variant", "depends_on")
    }
    for name, contents in {
        "spack": {},
        "spack.package": directives,
        "spack_repo.builtin.build_systems.autotools": {"AutotoolsPackage": Package},
        "spack_repo.builtin.packages.openmpi.package": {"Openmpi": Package},
    }.items():
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            sys.modules.setdefault(".".join(parts[:end]), types.ModuleType(parts[end - 1]))
        sys.modules[name].__dict__.update(contents)
    return said


def load(name):
    path = os.path.join(SOURCE, "packaging", "spack", "packages", name, "package.py")
    spec = importlib.util.spec_from_file_location(f"{name}_recipe", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    sys.dont_write_bytecode = True
    said = stand_in()
    recipe = load("mtree")
    assert os.path.samefile(recipe.CLONE, SOURCE), recipe.CLONE
    assert {"glpk", "graphviz"} <= {values[1] for values in said}, said
    assert load("openmpi").Openmpi().configure_args()[-1] == "--with-devel-headers"

    package, mpi = recipe.Mtree(), Package()
    mpi.prefix = "/mpi"
    package.prefix = Prefix("/prefix")
    package.spec = Spec(openmpi=mpi, constraints=["^openmpi@5:"])
    assert "--without-glpk" not in package.configure_args()
    package.spec["constraints"].append("~glpk")
    helps = subprocess.run([os.path.join(SOURCE, "configure"), "--help"],
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    for argument in package.configure_args():
        option = argument.split("=")[0]
        ending = "=" if "=" in argument else " "
        assert f"  {option}{ending}" in helps, f"configure --help has no {option}"
    environment = Environment()
    package.setup_run_environment(environment)
    assert environment == {
        "OMPI_MCA_mca_base_component_path": "/prefix/lib/openmpi:SYS_DEFAULT:USER_DEFAULT",
        "PMIX_MCA_mca_base_component_path": "/sys",
    }, environment


if __name__ == "__main__":
    main()
