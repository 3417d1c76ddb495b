#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

// Adds the fusion of runs.
void define_fusion(nanobind::module_& m);

}  // namespace berryeval::bindings
