// Iteration over dicts of dicts without creating objects.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <optional>
#include <string_view>

namespace berryeval::bindings {

namespace dicts {

// The bytes of an id; nothing if it is not a plain str, or cannot be encoded as UTF-8.
inline std::optional<std::string_view> id_of(PyObject* id) {
    if (!PyUnicode_CheckExact(id)) return std::nullopt;
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(id, &size);
    if (bytes == nullptr) {
        PyErr_Clear();
        return std::nullopt;
    }
    return std::string_view(bytes, static_cast<std::size_t>(size));
}

// A number whose absolute value is at most `most`; nothing if it is not plainly one.
inline std::optional<double> number_of(PyObject* number, double most) {
    double value = 0.0;
    if (PyFloat_Check(number)) {
        value = PyFloat_AsDouble(number);
    } else if (PyLong_CheckExact(number)) {
        value = PyLong_AsDouble(number);
        if (PyErr_Occurred()) {  // it is too large
            PyErr_Clear();
            return std::nullopt;
        }
    } else {
        return std::nullopt;
    }
    if (!(std::abs(value) <= most)) return std::nullopt;  // NaN compares false
    return value;
}

}  // namespace dicts

// Calls begin(query_id) for each query and add(doc_id, number) for each of its documents. False
// as soon as there is anything but dicts, str and plain numbers: core then reads it, or reports
// the error. The views are valid as long as the dict is not changed.
template <class Begin, class Add>
bool walk(const nanobind::dict& data, double most, const Begin& begin, const Add& add) {
#ifdef Py_GIL_DISABLED
    return false;  // another thread could change the dict in the meantime
#endif
    Py_ssize_t place = 0;
    PyObject *query = nullptr, *documents = nullptr;
    while (PyDict_Next(data.ptr(), &place, &query, &documents)) {
        const auto query_id = dicts::id_of(query);
        if (!query_id || !PyDict_CheckExact(documents)) return false;
        begin(*query_id);
        Py_ssize_t inner_place = 0;
        PyObject *doc = nullptr, *number = nullptr;
        while (PyDict_Next(documents, &inner_place, &doc, &number)) {
            const auto doc_id = dicts::id_of(doc);
            const auto value = dicts::number_of(number, most);
            if (!doc_id || !value) return false;
            add(*doc_id, *value);
        }
    }
    return true;
}

// Adds group_dict.
void define_dicts(nanobind::module_& m);

}  // namespace berryeval::bindings
