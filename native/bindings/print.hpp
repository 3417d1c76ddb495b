#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

// Adds print_rows.
void define_print(nanobind::module_& m);

}  // namespace berryeval::bindings
