#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

void define_arrow(nanobind::module_& m);

}  // namespace berryeval::bindings
