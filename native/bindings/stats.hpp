#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

// Adds the resampling of berryeval.stats.
void define_stats(nanobind::module_& m);

}  // namespace berryeval::bindings
