#include "bindings/search.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>

#include "search/nearest_tokens.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace berryeval::bindings {
namespace {

template <class Number, std::size_t n>
using Array = nb::ndarray<Number, nb::ndim<n>, nb::c_contig, nb::device::cpu>;

// Arguments were validated in Python; this check prevents bugs there from causing invalid reads.
void require(bool condition) {
    if (!condition) throw nb::value_error("berryeval._native: tokens do not fit");
}

void nearest_tokens(const Array<const float, 2>& similar,
                    const Array<const std::uint16_t, 1>& tokens,
                    const Array<const std::int64_t, 1>& ends, const Array<float, 2>& out) {
    const search::TokenRequest request{{similar.data(), similar.size()},
                                       similar.shape(1),
                                       {tokens.data(), tokens.size()},
                                       {ends.data(), ends.size()}};
    require(out.shape(0) == ends.size() && out.shape(1) == similar.shape(1));
    require(similar.shape(1) >= 1);
    const nb::gil_scoped_release without_gil;
    std::int64_t start = 0;
    for (const std::int64_t end : request.ends) {
        require(start < end);
        start = end;
    }
    require(start == static_cast<std::int64_t>(request.tokens.size()));
    require(std::all_of(request.tokens.begin(), request.tokens.end(),
                        [&](std::uint16_t token) { return token < similar.shape(0); }));
    search::nearest_tokens(request, out.data());
}

}  // namespace

void define_search(nb::module_& m) {
    // Nothing is converted: a copy of `out` would be filled and discarded.
    m.def("nearest_tokens", &nearest_tokens, "similar"_a.noconvert(), "tokens"_a.noconvert(),
          "ends"_a.noconvert(), "out"_a.noconvert(),
          "Fill out[document, column] with the highest similarity of the document's tokens.");
}

}  // namespace berryeval::bindings
