#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

// Adds Pools and Board, with which runs are scored.
void define_engine(nanobind::module_& m);

}  // namespace berryeval::bindings
