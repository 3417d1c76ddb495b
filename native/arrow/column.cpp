#include "arrow/column.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace berryeval::arrow {
namespace {

constexpr std::size_t most_digits = 20;  // of a 64-bit number with its sign

bool is_valid(const ArrowArray& array, std::int64_t position) {
    if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) return true;
    const auto* const bits = static_cast<const std::uint8_t*>(array.buffers[0]);
    return bits[position >> 3] >> (position & 7) & 1;
}

template <class T>
const T* values_of(const ArrowArray& array) {
    return static_cast<const T*>(array.buffers[1]);
}

// Calls `visit` with the values of an array of whole numbers.
template <class Visit>
void visit_integers(Layout layout, const ArrowArray& array, const Visit& visit) {
    switch (layout) {
        case Layout::int8:
            return visit(values_of<std::int8_t>(array));
        case Layout::uint8:
            return visit(values_of<std::uint8_t>(array));
        case Layout::int16:
            return visit(values_of<std::int16_t>(array));
        case Layout::uint16:
            return visit(values_of<std::uint16_t>(array));
        case Layout::int32:
            return visit(values_of<std::int32_t>(array));
        case Layout::uint32:
            return visit(values_of<std::uint32_t>(array));
        case Layout::int64:
            return visit(values_of<std::int64_t>(array));
        case Layout::uint64:
            return visit(values_of<std::uint64_t>(array));
        default:
            return;
    }
}

double from_half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    double size;
    if (exponent == 0) {
        size = std::ldexp(fraction, -24);
    } else if (exponent == 31) {
        size = fraction == 0 ? HUGE_VAL : std::nan("");
    } else {
        size = std::ldexp(1024 + fraction, exponent - 25);
    }
    return bits >> 15 ? -size : size;
}

template <class Offset>
void read_texts(const ArrowArray& array, const std::int64_t* positions, std::size_t n_rows,
                std::string_view* out) {
    const auto* const offsets = values_of<Offset>(array);
    const auto* const bytes = static_cast<const char*>(array.buffers[2]);
    for (std::size_t i = 0; i < n_rows; ++i) {
        const Offset begin = offsets[positions[i]], end = offsets[positions[i] + 1];
        out[i] = {bytes + begin, static_cast<std::size_t>(end - begin)};
    }
}

// A view has its length and either up to 12 bytes, or a prefix, a buffer and a position in it.
void read_text_views(const ArrowArray& array, const std::int64_t* positions, std::size_t n_rows,
                     std::string_view* out) {
    constexpr std::int32_t most_inline = 12;
    const auto* const views = values_of<char>(array);
    for (std::size_t i = 0; i < n_rows; ++i) {
        const char* const view = views + 16 * positions[i];
        std::int32_t size, buffer, offset;
        std::memcpy(&size, view, 4);
        if (size <= most_inline) {
            out[i] = {view + 4, static_cast<std::size_t>(size)};
            continue;
        }
        std::memcpy(&buffer, view + 8, 4);
        std::memcpy(&offset, view + 12, 4);
        const auto* const bytes = static_cast<const char*>(array.buffers[2 + buffer]);
        out[i] = {bytes + offset, static_cast<std::size_t>(size)};
    }
}

}  // namespace

Layout layout_of(const ArrowSchema& schema) {
    const std::string_view format = schema.format;
    if (format == "vu" || format == "vz") return Layout::text_view;
    if (format.size() != 1) return Layout::other;
    switch (format[0]) {
        case 'n':
            return Layout::none;
        case 'b':
            return Layout::bit;
        case 'c':
            return Layout::int8;
        case 'C':
            return Layout::uint8;
        case 's':
            return Layout::int16;
        case 'S':
            return Layout::uint16;
        case 'i':
            return Layout::int32;
        case 'I':
            return Layout::uint32;
        case 'l':
            return Layout::int64;
        case 'L':
            return Layout::uint64;
        case 'e':
            return Layout::float16;
        case 'f':
            return Layout::float32;
        case 'g':
            return Layout::float64;
        case 'u':
        case 'z':
            return Layout::text;
        case 'U':
        case 'Z':
            return Layout::large_text;
        default:
            return Layout::other;
    }
}

bool holds_ids(const ArrowSchema& schema) {
    const Layout layout = layout_of(schema.dictionary ? *schema.dictionary : schema);
    const bool is_integer = layout >= Layout::int8 && layout <= Layout::uint64;
    const bool is_text = layout >= Layout::text && layout <= Layout::text_view;
    return is_integer || is_text || (layout == Layout::none && !schema.dictionary);
}

bool holds_numbers(const ArrowSchema& schema) {
    const Layout layout = layout_of(schema);
    return schema.dictionary == nullptr && layout <= Layout::float64;
}

std::size_t first_null(const Slice& slice) {
    const ArrowArray& array = *slice.array;
    if (array.null_count == 0) return slice.n_rows;
    std::size_t row = 0;
    while (row < slice.n_rows &&
           is_valid(array, array.offset + slice.first + static_cast<std::int64_t>(row))) {
        ++row;
    }
    return row;
}

IdColumn::IdColumn(const ArrowSchema& schema)
    : layout_(layout_of(schema.dictionary ? *schema.dictionary : schema)),
      index_layout_(schema.dictionary ? layout_of(schema) : Layout::none),
      positions_(chunk_rows) {}

std::size_t IdColumn::read(const Slice& slice, Digits& digits, std::string_view* out) {
    if (layout_ == Layout::none) return 0;
    const ArrowArray& array = *slice.array;
    const std::int64_t first = array.offset + slice.first;
    std::size_t n_rows = first_null(slice);
    if (index_layout_ == Layout::none) {
        for (std::size_t i = 0; i < n_rows; ++i) {
            positions_[i] = first + static_cast<std::int64_t>(i);
        }
        read_at(array, n_rows, digits, out);
        return n_rows;
    }
    const ArrowArray& dictionary = *array.dictionary;
    visit_integers(index_layout_, array, [&](const auto* indices) {
        for (std::size_t i = 0; i < n_rows; ++i) {
            const auto index = indices[first + static_cast<std::int64_t>(i)];
            positions_[i] = dictionary.offset + static_cast<std::int64_t>(index);
        }
    });
    for (std::size_t i = 0; i < n_rows; ++i) {
        if (!is_valid(dictionary, positions_[i])) n_rows = i;
    }
    read_at(dictionary, n_rows, digits, out);
    return n_rows;
}

void IdColumn::read_at(const ArrowArray& values, std::size_t n_rows, Digits& digits,
                       std::string_view* out) {
    const std::int64_t* const positions = positions_.data();
    switch (layout_) {
        case Layout::text:
            return read_texts<std::int32_t>(values, positions, n_rows, out);
        case Layout::large_text:
            return read_texts<std::int64_t>(values, positions, n_rows, out);
        case Layout::text_view:
            return read_text_views(values, positions, n_rows, out);
        default:
            break;
    }
    visit_integers(layout_, values, [&](const auto* numbers) {
        char* to = digits.make_room(n_rows * most_digits);
        for (std::size_t i = 0; i < n_rows; ++i) {
            // std::to_chars rejects character types, but here a byte is a number.
            const auto number = +numbers[positions[i]];
            char* const end = std::to_chars(to, to + most_digits, number).ptr;
            out[i] = {to, static_cast<std::size_t>(end - to)};
            to = end;
        }
    });
}

std::size_t NumberColumn::read(const Slice& slice, double* out) const {
    if (layout_ == Layout::none) return 0;
    const ArrowArray& array = *slice.array;
    const std::int64_t first = array.offset + slice.first;
    const std::size_t n_rows = first_null(slice);
    const auto copy = [&](const auto* numbers) {
        for (std::size_t i = 0; i < n_rows; ++i) {
            out[i] = static_cast<double>(numbers[first + static_cast<std::int64_t>(i)]);
        }
    };
    switch (layout_) {
        case Layout::float64:
            copy(values_of<double>(array));
            break;
        case Layout::float32:
            copy(values_of<float>(array));
            break;
        case Layout::float16:
            for (std::size_t i = 0; i < n_rows; ++i) {
                out[i] = from_half(
                    values_of<std::uint16_t>(array)[first + static_cast<std::int64_t>(i)]);
            }
            break;
        case Layout::bit:
            for (std::size_t i = 0; i < n_rows; ++i) {
                const std::int64_t at = first + static_cast<std::int64_t>(i);
                out[i] = values_of<std::uint8_t>(array)[at >> 3] >> (at & 7) & 1;
            }
            break;
        default:
            visit_integers(layout_, array, copy);
    }
    return n_rows;
}

}  // namespace berryeval::arrow
