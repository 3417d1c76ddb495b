#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

// Adds Pools and Board, which score runs.
void define_engine(nanobind::module_& m);

}  // namespace berryeval::bindings
