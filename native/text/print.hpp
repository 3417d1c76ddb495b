// Writes numbers like printf, in far less time.
#pragma once

#include <string>

namespace berryeval::text {

// Appends what printf("%6.4f") would write.
void append_fixed(std::string& text, double number);

// Appends what printf("%d") would write of a number without a fraction.
void append_whole(std::string& text, double number);

// Appends the letter that stands for a grade in a relstring. Twin of
// berryeval.trec_eval.report.relstring.
void append_letter(std::string& text, double grade);

}  // namespace berryeval::text
