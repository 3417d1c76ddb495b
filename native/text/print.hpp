// Numbers as printf writes them, in far less time.
#pragma once

#include <string>

namespace berryeval::text {

// Appends what printf("%6.4f") would write.
void append_fixed(std::string& text, double number);

// Appends what printf("%d") would write of a number without a fraction.
void append_whole(std::string& text, double number);

}  // namespace berryeval::text
