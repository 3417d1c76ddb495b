// Conversion of columns to Python.
#pragma once

#include <nanobind/nanobind.h>

#include "columns/grouping.hpp"

namespace berryeval::bindings {

// A memoryview of the bytes of a buffer, which it owns. Needs the GIL.
template <class T>
nanobind::object view_of(columns::Buffer<T>&& buffer);

// (query_data, query_offsets, starts, doc_data, doc_offsets, values): ids as bytes, numbers as
// memoryviews of the bytes that array('Q') and array('d') take. Needs the GIL.
nanobind::tuple to_python(columns::Columns&& columns);

}  // namespace berryeval::bindings
