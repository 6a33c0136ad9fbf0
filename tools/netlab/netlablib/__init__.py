"""The parts of netlab: topology -> recipe -> holder (which is the lab) -> programs."""
