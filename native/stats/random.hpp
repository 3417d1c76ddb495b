// Random words by number: word j of resample i under a seed is a function of these three alone,
// so resamples can be made in any order and by any thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace berryeval::stats {

inline constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): a bijection that mixes every bit.
inline std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

class RandomWords {
public:
    RandomWords(std::uint64_t seed, std::uint64_t resample)
        : key_(mix(mix(seed) + golden * (resample + 1))) {}

    std::uint64_t operator[](std::uint64_t j) const { return mix(key_ + golden * (j + 1)); }

private:
    std::uint64_t key_;
};

// A number from 0 to before n, which is below 2^32, from 32 random bits. The chance of each is
// off by less than n / 2^32 of itself.
inline std::size_t below(std::uint64_t n, std::uint32_t bits) {
    return static_cast<std::size_t>(bits * n >> 32);
}

inline std::uint32_t low_half(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
inline std::uint32_t high_half(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// The halves of the words, one after the other, the lower one of a word first.
class HalvesInTurn {
public:
    explicit HalvesInTurn(const RandomWords& words) : words_(words) {}

    std::uint32_t next() {
        is_first_ = !is_first_;
        if (!is_first_) return high_half(word_);
        word_ = words_[n_words_++];
        return low_half(word_);
    }

private:
    RandomWords words_;
    std::uint64_t n_words_ = 0;
    std::uint64_t word_ = 0;
    bool is_first_ = false;
};

}  // namespace berryeval::stats
