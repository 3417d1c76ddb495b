#include "bindings/columns.hpp"

#include <nanobind/ndarray.h>

namespace nb = nanobind;

namespace berryeval::bindings {

template <class T>
nb::object view_of(columns::Buffer<T>&& buffer) {
    auto* const kept = new columns::Buffer<T>(std::move(buffer));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<columns::Buffer<T>*>(p); });
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(kept->data());
    return nb::cast(nb::ndarray<nb::memview, const std::uint8_t, nb::ndim<1>>(
        bytes, {kept->size() * sizeof(T)}, owner));
}

template nb::object view_of(columns::Buffer<std::uint64_t>&& buffer);
template nb::object view_of(columns::Buffer<double>&& buffer);

nb::tuple to_python(columns::Columns&& columns) {
    return nb::make_tuple(
        nb::bytes(columns.query_data.data(), columns.query_data.size()),
        view_of(std::move(columns.query_offsets)), view_of(std::move(columns.starts)),
        nb::bytes(columns.doc_data.data(), columns.doc_data.size()),
        view_of(std::move(columns.doc_offsets)), view_of(std::move(columns.values)));
}

}  // namespace berryeval::bindings
