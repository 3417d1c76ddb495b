// 32 ids, compared with another id at once, by instructions of the platform's baseline.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace berryeval::join {

inline constexpr std::size_t block_cells = 32;

// Each kind of block is created from 32 cells, and returns bits for the cells that contain an id.
#if defined(__SSE2__) || defined(_M_X64)

class BaselineBlock {
public:
    static constexpr const char* name = "sse2";

    explicit BaselineBlock(const std::int32_t* cells) {
        for (int i = 0; i < 8; ++i) {
            ids_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(cells + 4 * i));
        }
    }

    std::uint32_t equal(std::int32_t id) const {
        const __m128i wanted = _mm_set1_epi32(id);
        return half(ids_, wanted) | half(ids_ + 4, wanted) << 16;
    }

private:
    // Narrows the results of 16 cells to a byte each, and takes a bit of every byte.
    static std::uint32_t half(const __m128i* ids, __m128i wanted) {
        const __m128i first =
            _mm_packs_epi32(_mm_cmpeq_epi32(ids[0], wanted), _mm_cmpeq_epi32(ids[1], wanted));
        const __m128i second =
            _mm_packs_epi32(_mm_cmpeq_epi32(ids[2], wanted), _mm_cmpeq_epi32(ids[3], wanted));
        return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(first, second)));
    }

    __m128i ids_[8];
};

#elif defined(__ARM_NEON) && defined(__aarch64__)

class BaselineBlock {
public:
    static constexpr const char* name = "neon";

    explicit BaselineBlock(const std::int32_t* cells) {
        for (int i = 0; i < 8; ++i) ids_[i] = vld1q_s32(cells + 4 * i);
    }

    std::uint32_t equal(std::int32_t id) const {
        const int32x4_t wanted = vdupq_n_s32(id);
        return half(ids_, wanted) | half(ids_ + 4, wanted) << 16;
    }

private:
    static std::uint32_t half(const int32x4_t* ids, int32x4_t wanted) {
        static constexpr std::uint8_t places[8] = {1, 2, 4, 8, 16, 32, 64, 128};
        const uint16x8_t first = vcombine_u16(vmovn_u32(vceqq_s32(ids[0], wanted)),
                                              vmovn_u32(vceqq_s32(ids[1], wanted)));
        const uint16x8_t second = vcombine_u16(vmovn_u32(vceqq_s32(ids[2], wanted)),
                                               vmovn_u32(vceqq_s32(ids[3], wanted)));
        const uint8x8_t bits = vld1_u8(places);
        return vaddv_u8(vand_u8(vmovn_u16(first), bits)) |
               static_cast<std::uint32_t>(vaddv_u8(vand_u8(vmovn_u16(second), bits))) << 8;
    }

    int32x4_t ids_[8];
};

#else

class BaselineBlock {
public:
    static constexpr const char* name = "scalar";

    explicit BaselineBlock(const std::int32_t* cells) : cells_(cells) {}

    std::uint32_t equal(std::int32_t id) const {
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < block_cells; ++i) {
            bits |= static_cast<std::uint32_t>(cells_[i] == id) << i;
        }
        return bits;
    }

private:
    const std::int32_t* cells_;
};

#endif

}  // namespace berryeval::join
