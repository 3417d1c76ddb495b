// Conversion of text to Python and back.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace berryeval::bindings {

inline nanobind::bytes to_bytes(std::string_view text) {
    return nanobind::bytes(text.data(), text.size());
}

inline std::string_view view_of(const nanobind::bytes& bytes) {
    return {bytes.c_str(), bytes.size()};
}

}  // namespace berryeval::bindings
