// A fast hash of ids, and a fast comparison. The seed is drawn once per process, so that no file
// can be crafted whose ids all collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#if defined(_MSC_VER) && !defined(__SIZEOF_INT128__)
#include <intrin.h>
#endif

namespace berryeval::columns {

struct Seed {
    std::uint64_t first;
    std::uint64_t second;
};

// The same for all hashes of the process.
const Seed& process_seed();

namespace hashing {

inline std::uint64_t load_8(const char* from) {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

inline std::uint64_t load_4(const char* from) {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

inline bool are_same(const char* a, const char* b, std::size_t size) {
    if (size > 16) return std::memcmp(a, b, size) == 0;
    if (size >= 8) {  // the two words may overlap, which is faster than a call
        return ((load_8(a) ^ load_8(b)) | (load_8(a + size - 8) ^ load_8(b + size - 8))) == 0;
    }
    if (size >= 4) {
        return ((load_4(a) ^ load_4(b)) | (load_4(a + size - 4) ^ load_4(b + size - 4))) == 0;
    }
    for (std::size_t i = 0; i < size; ++i) {
        if (a[i] != b[i]) return false;
    }
    return true;
}

// Both halves of the product of two 64-bit numbers, folded together.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
    std::uint64_t high;
    const std::uint64_t low = _umul128(a, b, &high);
    return low ^ high;
#elif defined(_MSC_VER) && defined(_M_ARM64)
    return (a * b) ^ __umulh(a, b);
#else
    const std::uint64_t a_low = a & 0xffffffffu, a_high = a >> 32;
    const std::uint64_t b_low = b & 0xffffffffu, b_high = b >> 32;
    const std::uint64_t low = a_low * b_low, high = a_high * b_high;
    const std::uint64_t middle = a_high * b_low + (low >> 32);
    const std::uint64_t other = a_low * b_high + (middle & 0xffffffffu);
    return (a * b) ^ (high + (middle >> 32) + (other >> 32));
#endif
}

}  // namespace hashing

inline bool are_same(std::string_view a, std::string_view b) {
    return a.size() == b.size() && hashing::are_same(a.data(), b.data(), a.size());
}

inline std::uint64_t hash_id(std::string_view id, const Seed& seed) {
    using namespace hashing;
    const char* bytes = id.data();
    std::size_t left = id.size();
    std::uint64_t state = seed.first ^ (left * 0x9e3779b97f4a7c15u);
    for (; left > 16; bytes += 16, left -= 16) {
        state = fold(load_8(bytes) ^ seed.second, load_8(bytes + 8) ^ state);
    }
    std::uint64_t a = 0, b = 0;
    if (left >= 8) {  // the two words may overlap
        a = load_8(bytes);
        b = load_8(bytes + left - 8);
    } else if (left >= 4) {
        a = load_4(bytes);
        b = load_4(bytes + left - 4);
    } else if (left > 0) {
        a = static_cast<unsigned char>(bytes[0]);
        b = static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[left / 2])) << 8 |
            static_cast<unsigned char>(bytes[left - 1]);
    }
    return fold(a ^ seed.second, b ^ state);
}

}  // namespace berryeval::columns
