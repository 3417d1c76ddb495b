#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

// Adds the matching of tokens of berryeval.search.
void define_search(nanobind::module_& m);

}  // namespace berryeval::bindings
