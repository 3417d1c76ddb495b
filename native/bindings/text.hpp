#pragma once

#include <nanobind/nanobind.h>

namespace berryeval::bindings {

// Adds TextReader, which reads TREC files into columns.
void define_text(nanobind::module_& m);

}  // namespace berryeval::bindings
