// Numbers in text, as Python's float() reads them: correctly rounded, to the same bits.
#pragma once

#include <optional>
#include <string_view>

namespace berryeval::text {

// The number that the whole of `text` is; nothing if it is none. NaN is none.
// Infinities are numbers. Twin of berryeval.formats._rows.parse_number.
std::optional<double> parse_number(std::string_view text);

}  // namespace berryeval::text
