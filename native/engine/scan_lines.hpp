// The loop over the lines of a run, with any way to find white space.
//
// All of it is named after its `White`: the program contains it once per set of instructions.
#pragma once

#include <string_view>

#include "columns/hash.hpp"
#include "engine/text_pass.hpp"
#include "text/line.hpp"
#include "text/read_line.hpp"

namespace berryeval::engine {

// For a text without NUL.
template <class White>
text::Found by_rules_of_trec_eval(text::Found found, std::string_view line, text::Row& row) {
    if (found != text::Found::row) {
        return text::by_rules_of_trec_eval(found, line, text::Kind::run, row);
    }
    row.value = static_cast<double>(static_cast<float>(row.value));
    return text::Found::row;
}

template <class White>
const char* TextPass::scan_lines(const char* begin, const char* end, const char* stop,
                                 bool is_end) {
    const char* query_begin = begin;
    std::string_view query_id;  // empty before the first query
    text::Row row;
    for (const char* line = begin; line < end;) {
        const char* next = end;
        text::Found found = text::read_line<White>(line, end, is_end, text::Kind::run, row, next);
        if (rules_ == text::Rules::trec_eval) {
            found = by_rules_of_trec_eval<White>(found, {line, next}, row);
        }
        switch (found) {
            case text::Found::unfinished:
                return query_begin;
            case text::Found::wrong:
                has_failed_ = true;
                return line;
            case text::Found::nothing:
                break;
            case text::Found::row:
                if (!columns::are_same(row.query_id, query_id)) {
                    if (!skipped_.empty() && row.query_id == skipped_) {
                        if (line >= stop) {  // no other query begins in this block
                            has_stopped_ = true;
                            return line;
                        }
                        query_begin = next;
                        break;
                    }
                    skipped_.clear();
                    if (!query_id.empty() && !scorer_.end()) {
                        has_failed_ = true;
                        return line;
                    }
                    if (line >= stop) {
                        has_stopped_ = true;
                        return line;
                    }
                    query_begin = line;
                    query_id = row.query_id;
                    scorer_.begin(query_id);
                }
                scorer_.add(row.doc_id, row.value);
        }
        line = next;
    }
    if (!is_end) return query_begin;
    if (!query_id.empty()) has_failed_ = !scorer_.end();
    return end;
}

}  // namespace berryeval::engine
