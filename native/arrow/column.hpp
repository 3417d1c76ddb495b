// Columns of Arrow record batches as ids and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "arrow/abi.hpp"

namespace berryeval::arrow {

constexpr std::size_t chunk_rows = 2048;  // small enough to stay in the nearest cache

// The layout of a column's values in memory.
enum class Layout {
    none,  // a column of nulls
    bit,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    float16,
    float32,
    float64,
    text,
    large_text,
    text_view,
    other,
};

Layout layout_of(const ArrowSchema& schema);
bool holds_ids(const ArrowSchema& schema);
bool holds_numbers(const ArrowSchema& schema);

// The requested rows of a column in one batch.
struct Slice {
    const ArrowArray* array;
    std::int64_t first;  // beyond the array's own offset
    std::size_t n_rows;  // at most chunk_rows
};

// The first null among the rows; n_rows if there is none.
std::size_t first_null(const Slice& slice);

// Whole numbers, written in decimal: ids that are not in a batch.
class Digits {
public:
    char* make_room(std::size_t n_bytes) {
        return blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(n_bytes)).get();
    }

private:
    std::vector<std::unique_ptr<char[]>> blocks_;
};

class IdColumn {
public:
    explicit IdColumn(const ArrowSchema& schema);

    // Points `out` to each id, in the batch or, for whole numbers, in `digits`. Returns the number
    // of rows before the first null.
    std::size_t read(const Slice& slice, Digits& digits, std::string_view* out);

private:
    void read_at(const ArrowArray& values, std::size_t n_rows, Digits& digits,
                 std::string_view* out);

    Layout layout_;        // of the ids; of the dictionary if there is one
    Layout index_layout_;  // none without a dictionary
    std::vector<std::int64_t> positions_;
};

class NumberColumn {
public:
    explicit NumberColumn(const ArrowSchema& schema) : layout_(layout_of(schema)) {}

    std::size_t read(const Slice& slice, double* out) const;

private:
    Layout layout_;
};

}  // namespace berryeval::arrow
