"""The parts of netlab: topology -> recipe -> holder (builds and keeps a lab) -> programs."""
