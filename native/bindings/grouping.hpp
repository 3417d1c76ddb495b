#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

void define_grouping(nanobind::module_& m);

}  // namespace berryeval::bindings
