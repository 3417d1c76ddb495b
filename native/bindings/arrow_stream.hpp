// An Arrow stream that Python passes as a capsule.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <string_view>

#include "arrow/abi.hpp"

namespace berryeval::bindings {

class ArrowStream {
public:
    // Throws a ValueError if it was read already, or has no such columns.
    ArrowStream(nanobind::handle capsule, std::span<const std::size_t> places) {
        void* const stream = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
        if (stream == nullptr) throw nanobind::python_error();
        stream_ = static_cast<ArrowArrayStream*>(stream);
        if (stream_->release == nullptr) {
            throw nanobind::value_error("the Arrow stream was read already");
        }
        check(stream_->get_schema(stream_, schema_.get()));
        if (std::string_view(schema_->format) != "+s") {
            throw nanobind::value_error("the Arrow stream has no columns");
        }
        for (const std::size_t place : places) {
            if (place >= static_cast<std::size_t>(schema_->n_children)) {
                throw nanobind::value_error("the Arrow stream has no such column");
            }
        }
    }

    const ArrowSchema& schema() const { return *schema_; }

    // False at the end of the stream. Needs the GIL, since Python may implement the stream.
    bool next(arrow::Lent<ArrowArray>& batch) {
        check(stream_->get_next(stream_, batch.get()));
        return !batch.is_released();
    }

private:
    void check(int status) {
        if (status == 0) return;
        const char* const reason = stream_->get_last_error(stream_);
        throw nanobind::value_error(reason != nullptr ? reason : "the Arrow stream cannot be read");
    }

    ArrowArrayStream* stream_;
    arrow::Lent<ArrowSchema> schema_;
};

}  // namespace berryeval::bindings
