// Random words by number: word j of resample i under a seed is a function of only these three, so
// resamples can be computed in any order and by any thread.
#pragma once

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

}  // namespace berryeval::stats
