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

// The documents of one query so far.
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

    // The number of an earlier occurrence of a document; otherwise it is stored under `number`.
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

std::string_view id_at(const Columns& columns, std::uint64_t row) {
    const std::uint64_t from = columns.doc_offsets[row];
    return {columns.doc_data.data() + from, columns.doc_offsets[row + 1] - from};
}

bool has_duplicates(const Columns& columns, const Seed& seed) {
    Seen seen(seed);
    for (std::size_t query = 0; query + 1 < columns.starts.size(); ++query) {
        const std::uint64_t first = columns.starts[query], end = columns.starts[query + 1];
        seen.clear(end - first);
        const auto id_of = [&](std::uint64_t i) { return id_at(columns, first + i); };
        for (std::uint64_t row = first; row < end; ++row) {
            if (seen.find_or_add(id_at(columns, row), row - first, id_of)) return true;
        }
    }
    return false;
}

// A repeated document passes its value to the first occurrence, if it is higher.
Columns best_of(Columns all, const Seed& seed) {
    Columns best;
    best.query_data = std::move(all.query_data);
    best.query_offsets = std::move(all.query_offsets);
    best.starts.push_back(0);
    best.doc_offsets.push_back(0);
    Seen seen(seed);
    for (std::size_t query = 0; query + 1 < all.starts.size(); ++query) {
        const std::uint64_t first = best.values.size();
        const std::uint64_t begin = all.starts[query], end = all.starts[query + 1];
        seen.clear(end - begin);
        const auto id_of = [&](std::uint64_t i) { return id_at(best, first + i); };
        for (std::uint64_t row = begin; row < end; ++row) {
            const std::string_view id = id_at(all, row);
            const auto kept = seen.find_or_add(id, best.values.size() - first, id_of);
            if (!kept) {
                std::copy(id.begin(), id.end(), best.doc_data.extend(id.size()));
                best.doc_offsets.push_back(best.doc_data.size());
                best.values.push_back(all.values[row]);
            } else if (all.values[row] > best.values[first + *kept]) {
                best.values[first + *kept] = all.values[row];
            }
        }
        best.starts.push_back(best.values.size());
    }
    return best;
}

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
    // The last piece that begins at or before the row.
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
    // Queries in several pieces are examined where their rows are adjacent, since reading in the
    // order of memory is fast. Only then is it worth locating the duplicate.
    if (!is_in_order() && !has_duplicates(columns_gathered(), seed_)) return std::nullopt;
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
    Columns all = is_in_order() ? std::move(*this).columns_in_order() : columns_gathered();
    return duplicates == Duplicates::error ? std::move(all) : best_of(std::move(all), seed_);
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

// Pieces are read in order, and each is appended to its query: there are far fewer queries than
// pieces, so the places that are written to stay in the cache.
Columns Grouping::columns_gathered() const {
    struct Place {
        std::uint64_t row = 0, byte = 0;
    };
    std::vector<Place> next(n_queries() + 1);
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        const std::uint64_t first = pieces_[i].first_row, end = piece_end(i);
        Place& after = next[pieces_[i].query + 1];
        after.row += end - first;
        after.byte += doc_offsets_[end] - doc_offsets_[first];
    }
    Columns columns = with_queries();
    std::uint64_t* const starts = columns.starts.extend(n_queries() + 1);
    starts[0] = 0;
    for (std::size_t query = 0; query < n_queries(); ++query) {
        next[query + 1].row += next[query].row;
        next[query + 1].byte += next[query].byte;
        starts[query + 1] = next[query + 1].row;
    }
    char* const bytes = columns.doc_data.extend(doc_data_.size());
    std::uint64_t* const offsets = columns.doc_offsets.extend(n_rows() + 1);
    double* const values = columns.values.extend(n_rows());
    offsets[0] = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
        Place& to = next[pieces_[i].query];
        const std::uint64_t end = piece_end(i);
        for (std::uint64_t row = pieces_[i].first_row; row < end; ++row) {
            const std::string_view id = doc_id(row);
            copy_id(bytes + to.byte, id);
            values[to.row] = values_[row];
            to.byte += id.size();
            offsets[++to.row] = to.byte;
        }
    }
    return columns;
}

}  // namespace berryeval::columns
