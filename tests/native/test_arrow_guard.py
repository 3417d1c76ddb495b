"""The extension rejects invalid streams, even after a bug in the Python code."""

import pyarrow as pa
import pytest

from berryeval.backend import backend

if backend().name != "native":
    pytest.skip("there is no extension to test", allow_module_level=True)

from berryeval import _native

TABLE = pa.table({"q": ["q"], "d": ["d"], "s": [1.0]})


def test_missing_columns_are_rejected():
    """No index is outside of the schema."""
    with pytest.raises(ValueError, match="no such column"):
        _native.arrow_group(
            TABLE.__arrow_c_stream__(), (0, 1, 3), 1.0, keep_best=False, n_expected=0
        )


def test_an_object_that_is_not_a_stream_is_rejected():
    """Other objects, other capsules and streams without columns are errors."""
    with pytest.raises(ValueError, match="PyCapsule_GetPointer"):
        _native.arrow_names(TABLE)
    with pytest.raises(ValueError, match="PyCapsule_GetPointer"):
        _native.arrow_names(TABLE.schema.__arrow_c_schema__())
    with pytest.raises(ValueError, match="the Arrow stream has no columns"):
        _native.arrow_names(pa.chunked_array([[1]]).__arrow_c_stream__())


def test_a_consumed_stream_is_rejected():
    """It was already read elsewhere."""
    stream = TABLE.__arrow_c_stream__()

    class Given:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    pa.RecordBatchReader.from_stream(Given()).read_all()
    with pytest.raises(ValueError, match="the Arrow stream was read already"):
        _native.arrow_names(stream)


def test_a_stream_is_read_to_its_end():
    """Reading on returns nothing, not an error."""
    stream = TABLE.__arrow_c_stream__()
    columns, complaint = _native.arrow_group(
        stream, (0, 1, 2), 1.0, keep_best=False, n_expected=10**6
    )
    assert complaint is None
    assert bytes(columns[3]) == b"d"
    empty, _ = _native.arrow_group(stream, (0, 1, 2), 1.0, keep_best=False, n_expected=0)
    assert bytes(empty[3]) == b""
