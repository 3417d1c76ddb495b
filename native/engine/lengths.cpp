#include "engine/lengths.hpp"

#include <stdexcept>

namespace berryeval::engine {
namespace {

const IdColumn& checked(const IdColumn& doc_ids, std::span<const double> lengths) {
    if (doc_ids.size() != lengths.size()) {
        throw std::invalid_argument("berryeval._native.Lengths: columns do not fit");
    }
    if (lengths.size() >= std::numeric_limits<std::uint32_t>::max()) {
        throw std::length_error("more than 2^32 - 2 documents with a length");
    }
    return doc_ids;
}

}  // namespace

Lengths::Lengths(const IdColumn& doc_ids, std::span<const double> lengths)
    : lengths_(lengths), table_(checked(doc_ids, lengths)) {}

}  // namespace berryeval::engine
