#include "columns/grouping.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <random>
#include <stdexcept>

namespace berryeval::columns {

const Seed& process_seed() {
    static const Seed seed = [] {
        std::uint64_t first = 0, second = 0;
        try {
            std::random_device random;
            first = static_cast<std::uint64_t>(random()) << 32 | random();
            second = static_cast<std::uint64_t>(random()) << 32 | random();
        } catch (const std::exception&) {  // a system without randomness still has a clock
            const auto now = std::chrono::high_resolution_clock::now().time_since_epoch().count();
            first = hashing::fold(static_cast<std::uint64_t>(now), 0x9e3779b97f4a7c15u);
            second = hashing::fold(first, 0xd1342543de82ef95u);
        }
        return Seed{first, second};
    }();
    return seed;
}

namespace {

constexpr std::uint64_t low_half = 0xffffffffu;

// An entry of an open-addressing table: the upper half of a hash, and a number plus 1.
// 0 is an empty one.
std::uint64_t entry_of(std::uint64_t hash, std::uint64_t number) {
    return (hash & ~low_half) | (number + 1);
}

void check_number(std::uint64_t number) {
    if (number >= low_half) throw std::length_error("more than 2^32 - 1 rows of one kind");
}

// The documents of one query that came so far.
class Seen {
public:
    explicit Seen(const Seed& seed) : seed_(seed) {}

    void clear(std::size_t n_rows) {
        check_number(n_rows);
        const std::size_t size = std::bit_ceil(2 * n_rows + 1);
        if (size > entries_.size()) entries_.resize(size);
        mask_ = size - 1;
        std::fill_n(entries_.begin(), size, 0);
    }

    // The number under which a document came before; else it is remembered under `number`.
    template <class IdOf>
    std::optional<std::uint64_t> find_or_add(std::string_view id, std::uint64_t number,
                                             const IdOf& id_of) {
        const std::uint64_t hash = hash_id(id, seed_);
        for (std::size_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
            const std::uint64_t entry = entries_[slot];
            if (entry == 0) {
                entries_[slot] = entry_of(hash, number);
                return std::nullopt;
            }
            if ((entry ^ hash) >> 32 == 0) {
                const std::uint64_t found = (entry & low_half) - 1;
                if (are_same(id_of(found), id)) return found;
            }
        }
    }

private:
    const Seed& seed_;
    std::vector<std::uint64_t> entries_;
    std::size_t mask_ = 0;
};

}  // namespace

Grouping::Grouping() : seed_(process_seed()), table_(64) {
    query_offsets_.push_back(0);
    doc_offsets_.push_back(0);
}

void Grouping::reserve(std::size_t n_rows, std::size_t n_bytes) {
    doc_data_.reserve(n_bytes);
    doc_offsets_.reserve(n_rows + 1);
    values_.reserve(n_rows);
}

void Grouping::add_query(std::string_view query_id) {
    if (pieces_.empty() || !are_same(query_id, current_id())) begin_piece(query_id);
}

void Grouping::begin_piece(std::string_view query_id) {
    pieces_.push_back({find_or_add_query(query_id), n_rows()});
}

std::uint64_t Grouping::find_or_add_query(std::string_view id) {
    if (2 * (n_queries() + 1) > table_.size()) grow_table();
    const std::uint64_t hash = hash_id(id, seed_);
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hash & mask;
    for (; table_[slot] != 0; slot = (slot + 1) & mask) {
        if ((table_[slot] ^ hash) >> 32 == 0) {
            const std::uint64_t found = (table_[slot] & low_half) - 1;
            if (are_same(query_id(found), id)) return found;
        }
    }
    const std::uint64_t number = n_queries();
    check_number(number);
    table_[slot] = entry_of(hash, number);
    copy_id(query_data_.extend(id.size()), id);
    query_offsets_.push_back(query_data_.size());
    return number;
}

void Grouping::grow_table() {
    std::vector<std::uint64_t> larger(4 * table_.size());
    const std::size_t mask = larger.size() - 1;
    for (std::uint64_t number = 0; number < n_queries(); ++number) {
        const std::uint64_t hash = hash_id(query_id(number), seed_);
        std::size_t slot = hash & mask;
        while (larger[slot] != 0) slot = (slot + 1) & mask;
        larger[slot] = entry_of(hash, number);
    }
    table_ = std::move(larger);
}

std::string_view Grouping::query_id_of(std::size_t row) const {
    // The last piece that begins at or before the row; empty pieces before it begin there, too.
    const auto after = std::upper_bound(
        pieces_.begin(), pieces_.end(), row,
        [](std::uint64_t wanted, const Piece& piece) { return wanted < piece.first_row; });
    return query_id(std::prev(after)->query);
}

Grouping::PiecesByQuery Grouping::pieces_by_query() const {
    PiecesByQuery found{std::vector<std::uint64_t>(n_queries() + 1),
                        std::vector<std::uint64_t>(pieces_.size())};
    for (const Piece& piece : pieces_) ++found.starts[piece.query + 1];
    for (std::size_t query = 0; query < n_queries(); ++query) {
        found.starts[query + 1] += found.starts[query];
    }
    std::vector<std::uint64_t> next(found.starts.begin(), found.starts.end() - 1);
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
        found.order[next[pieces_[piece].query]++] = piece;
    }
    return found;
}

std::optional<std::size_t> Grouping::first_duplicate() const {
    const PiecesByQuery by_query = pieces_by_query();
    std::size_t first = n_rows();
    Seen seen(seed_);
    std::vector<std::uint64_t> rows;  // of a query in several pieces
    for (std::size_t query = 0; query < n_queries(); ++query) {
        const std::uint64_t begin = by_query.starts[query], end = by_query.starts[query + 1];
        if (end - begin == 1) {
            const std::uint64_t piece = by_query.order[begin];
            const std::uint64_t first_row = pieces_[piece].first_row;
            const std::uint64_t last_row = std::min<std::uint64_t>(piece_end(piece), first);
            if (first_row + 1 >= last_row) continue;
            seen.clear(last_row - first_row);
            const auto id_of = [&](std::uint64_t i) { return doc_id(first_row + i); };
            for (std::uint64_t row = first_row; row < last_row; ++row) {
                if (seen.find_or_add(doc_id(row), row - first_row, id_of)) {
                    first = row;
                    break;
                }
            }
            continue;
        }
        rows.clear();
        for (std::uint64_t i = begin; i < end; ++i) {
            const std::uint64_t piece = by_query.order[i];
            for (std::uint64_t row = pieces_[piece].first_row; row < piece_end(piece); ++row) {
                rows.push_back(row);
            }
        }
        seen.clear(rows.size());
        const auto id_of = [&](std::uint64_t i) { return doc_id(rows[i]); };
        for (std::uint64_t i = 0; i < rows.size() && rows[i] < first; ++i) {
            if (seen.find_or_add(doc_id(rows[i]), i, id_of)) {
                first = rows[i];
                break;
            }
        }
    }
    if (first == n_rows()) return std::nullopt;
    return first;
}

Columns Grouping::columns(Duplicates duplicates) && {
    if (duplicates == Duplicates::keep_best) return columns_of_best();
    return is_in_order() ? std::move(*this).columns_in_order() : columns_gathered();
}

Columns Grouping::with_queries() const {
    Columns columns;
    std::copy_n(query_data_.data(), query_data_.size(),
                columns.query_data.extend(query_data_.size()));
    std::copy_n(query_offsets_.data(), query_offsets_.size(),
                columns.query_offsets.extend(query_offsets_.size()));
    return columns;
}

Columns Grouping::columns_in_order() && {
    Columns columns = with_queries();
    for (const Piece& piece : pieces_) columns.starts.push_back(piece.first_row);
    columns.starts.push_back(n_rows());
    columns.doc_data = std::move(doc_data_);
    columns.doc_offsets = std::move(doc_offsets_);
    columns.values = std::move(values_);
    return columns;
}

Columns Grouping::columns_gathered() const {
    const PiecesByQuery by_query = pieces_by_query();
    Columns columns = with_queries();
    columns.doc_data.extend(doc_data_.size());
    columns.doc_offsets.push_back(0);
    columns.values.extend(n_rows());
    columns.starts.push_back(0);
    std::uint64_t row = 0, byte = 0;
    for (std::size_t query = 0; query < n_queries(); ++query) {
        for (std::uint64_t i = by_query.starts[query]; i < by_query.starts[query + 1]; ++i) {
            const std::uint64_t piece = by_query.order[i];
            const std::uint64_t first = pieces_[piece].first_row, end = piece_end(piece);
            const std::uint64_t from = doc_offsets_[first], to = doc_offsets_[end];
            std::copy(doc_data_.data() + from, doc_data_.data() + to,
                      columns.doc_data.data() + byte);
            std::copy(values_.data() + first, values_.data() + end, columns.values.data() + row);
            for (std::uint64_t each = first; each < end; ++each) {
                columns.doc_offsets.push_back(doc_offsets_[each + 1] - from + byte);
            }
            row += end - first;
            byte += to - from;
        }
        columns.starts.push_back(row);
    }
    return columns;
}

Columns Grouping::columns_of_best() const {
    const PiecesByQuery by_query = pieces_by_query();
    Columns columns = with_queries();
    columns.doc_offsets.push_back(0);
    columns.starts.push_back(0);
    Seen seen(seed_);
    for (std::size_t query = 0; query < n_queries(); ++query) {
        const std::uint64_t start = columns.values.size();
        const auto id_of = [&](std::uint64_t i) {
            const std::uint64_t from = columns.doc_offsets[start + i];
            return std::string_view(columns.doc_data.data() + from,
                                    columns.doc_offsets[start + i + 1] - from);
        };
        std::uint64_t n_query_rows = 0;
        for (std::uint64_t i = by_query.starts[query]; i < by_query.starts[query + 1]; ++i) {
            const std::uint64_t piece = by_query.order[i];
            n_query_rows += piece_end(piece) - pieces_[piece].first_row;
        }
        seen.clear(n_query_rows);
        for (std::uint64_t i = by_query.starts[query]; i < by_query.starts[query + 1]; ++i) {
            const std::uint64_t piece = by_query.order[i];
            for (std::uint64_t row = pieces_[piece].first_row; row < piece_end(piece); ++row) {
                const std::string_view id = doc_id(row);
                const auto kept = seen.find_or_add(id, columns.values.size() - start, id_of);
                if (kept) {
                    double& best = columns.values[start + *kept];
                    if (values_[row] > best) best = values_[row];
                } else {
                    copy_id(columns.doc_data.extend(id.size()), id);
                    columns.doc_offsets.push_back(columns.doc_data.size());
                    columns.values.push_back(values_[row]);
                }
            }
        }
        columns.starts.push_back(columns.values.size());
    }
    return columns;
}

}  // namespace berryeval::columns
