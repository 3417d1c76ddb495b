"""Local sentence encoders: small models created here, recomputed in NumPy."""

import json
import sys

import numpy as np
import pytest

from berryeval.errors import ArgumentError, FormatError, MissingExtraError
from berryeval.search.embedding.embedder import embed_queries
from berryeval.search.embedding.onnx_encoder import OnnxEncoder
from berryeval.search.embedding.vector_cache import CachedEmbedder
from berryeval.search.opening import open_system
from berryeval.search.systems.embedded import Embedded
from search.contract import DOCUMENTS

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
tokenizers = pytest.importorskip("tokenizers")

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "query:", "passage:", "renew", "the", "token", "cache"]
STATES = np.random.default_rng(7).normal(size=(len(WORDS), 4)).astype(np.float32)


def write_tokenizer(folder):
    """Write a tokenizer that splits at blanks and adds [CLS] and [SEP]."""
    known = {word: number for number, word in enumerate(WORDS)}
    model = tokenizers.models.WordLevel(known, unk_token="[UNK]")  # noqa: S106 - a token of text
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def write_model(path, *, inputs=("input_ids", "attention_mask"), output=("n", "length", 4)):
    """Write a model with one state per token, or their sum as one vector per text."""
    make = onnx.helper
    nodes = [make.make_node("Gather", ["states", "input_ids"], ["every"])]
    if len(output) < 3:
        nodes.append(make.make_node("ReduceSum", ["every", "axis"], ["out"], keepdims=0))
    else:
        nodes.append(make.make_node("Identity", ["every"], ["out"]))
    ints, floats = onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
    graph = make.make_graph(
        nodes,
        "small",
        [make.make_tensor_value_info(name, ints, ["n", "length"]) for name in inputs],
        [make.make_tensor_value_info("out", floats, list(output))],
        [
            onnx.numpy_helper.from_array(STATES, "states"),
            onnx.numpy_helper.from_array(np.array([1, 2][: 3 - len(output)]), "axis"),
        ],
    )
    model = make.make_model(graph, opset_imports=[make.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, str(path))


@pytest.fixture
def folder(tmp_path):
    """An encoder without any optional files."""
    place = tmp_path / "small"
    place.mkdir()
    write_tokenizer(place)
    write_model(place / "model.onnx")
    return place


def unit(vector):
    return vector / np.linalg.norm(vector)


def state(*words):
    return STATES[[WORDS.index(word) for word in words]]


def test_token_states_are_averaged(folder):
    """The mean includes special tokens and has unit length; blank text gives zeros."""
    found = OnnxEncoder(folder).embed(["renew the token", "cache", " "])
    expected = [
        unit(state("[CLS]", "renew", "the", "token", "[SEP]").mean(axis=0)),
        unit(state("[CLS]", "cache", "[SEP]").mean(axis=0)),
        np.zeros(4),
    ]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert found.dtype == np.float32
    assert OnnxEncoder(folder).embed([]).shape == (0, 4)


def test_cls_pooling_comes_from_the_folder_or_a_setting(folder):
    """sentence-transformers writes it into 1_Pooling/config.json."""
    first = unit(state("[CLS]")[0])
    shown = OnnxEncoder(folder, pooling="cls")
    np.testing.assert_allclose(shown.embed(["cache"])[0], first, atol=1e-6)
    (folder / "1_Pooling").mkdir()
    modes = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    read = OnnxEncoder(folder)
    assert read.pooling == "cls"
    assert read.name == shown.name != OnnxEncoder(folder, pooling="mean").name
    modes = {"pooling_mode_max_tokens": True}
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(modes))
    with pytest.raises(FormatError, match="expected mean or cls pooling, found pooling_mode_max"):
        OnnxEncoder(folder)
    assert OnnxEncoder(folder, pooling="mean").pooling == "mean"


def test_vectors_do_not_depend_on_their_batch(folder):
    """Padding does not affect the mean, and the order of texts is kept."""
    texts = ["renew the token", "cache", "the", "", "token cache renew the token"] * 7
    whole = OnnxEncoder(folder, batch_size=64).embed(texts)
    np.testing.assert_allclose(OnnxEncoder(folder, batch_size=3).embed(texts), whole, atol=1e-6)
    for text, vector in zip(texts, whole, strict=True):
        np.testing.assert_allclose(OnnxEncoder(folder).embed([text])[0], vector, atol=1e-6)


def test_long_texts_are_truncated(folder):
    """The limit comes from the setting, then the folder's files, then 512 tokens."""
    assert OnnxEncoder(folder).max_length == 512
    (folder / "config.json").write_text('{"max_position_embeddings": 128}')
    assert OnnxEncoder(folder).max_length == 128
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 4}')
    expected = unit(state("[CLS]", "renew", "the", "[SEP]").mean(axis=0))
    np.testing.assert_allclose(
        OnnxEncoder(folder).embed(["renew the token cache"])[0], expected, atol=1e-6
    )
    assert OnnxEncoder(folder, max_length=9).max_length == 9


def test_queries_and_documents_have_separate_prefixes(folder):
    """Prefixes come from settings or the folder, and caches are separate."""
    (folder / "config_sentence_transformers.json").write_text(
        json.dumps({"prompts": {"query": "query: ", "passage": "passage: "}})
    )
    encoder = OnnxEncoder(folder)
    query = unit(state("[CLS]", "query:", "cache", "[SEP]").mean(axis=0))
    document = unit(state("[CLS]", "passage:", "cache", "[SEP]").mean(axis=0))
    cached = CachedEmbedder(encoder, folder / "vectors.db")
    for _ in range(2):
        for embedder in (encoder, cached):
            np.testing.assert_allclose(embedder.embed(["cache"])[0], document, atol=1e-6)
            np.testing.assert_allclose(embed_queries(embedder, ["cache"])[0], query, atol=1e-6)
    cached.close()
    bare = OnnxEncoder(folder, query_prefix="", document_prefix="")
    assert (bare.embed_queries(["cache"]) == bare.embed(["cache"])).all()
    assert "query='query: '" in encoder.name
    assert encoder.name != bare.name


def test_a_model_may_return_one_vector_per_text(folder):
    """Such a vector is used as is; the model may be in a subfolder."""
    (folder / "model.onnx").unlink()
    (folder / "onnx").mkdir()
    write_model(folder / "onnx" / "model.onnx", inputs=("input_ids",), output=("n", "size"))
    expected = unit(state("[CLS]", "cache", "[SEP]").sum(axis=0))
    np.testing.assert_allclose(OnnxEncoder(folder).embed(["cache"])[0], expected, atol=1e-6)


def test_a_system_opens_an_encoder_by_its_folder(folder):
    """X4: settings are passed as text, and the fingerprint names the encoder."""
    settings = {"pooling": "cls", "max_length": "16", "query_prefix": "query: "}
    system = open_system("vector", {"embedder": f"onnx:{folder}", **settings})
    assert isinstance(system, Embedded)
    system.index(DOCUMENTS)
    assert len(system.search("renew", 3)) == 3
    assert system.fingerprint()["embedder"] == system.embedder.name
    assert system.embedder.name.startswith("onnx-small-")
    with pytest.raises(ArgumentError, match="setting pooling: expected an embedder onnx:FOLDER"):
        open_system("vector", {"pooling": "cls"})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"pooling": "max"}, "pooling: expected 'mean' or 'cls', got 'max'"),
        ({"max_length": 2}, "max_length: expected at least 3 tokens, got 2"),
        ({"batch_size": 0}, "batch_size: expected at least 1, got 0"),
    ],
)
def test_invalid_settings_are_rejected(folder, settings, message):
    """The error is raised when the encoder is created."""
    with pytest.raises(ArgumentError, match=message):
        OnnxEncoder(folder, **settings)


def test_a_folder_that_is_not_an_encoder_is_reported(folder, tmp_path):
    """The message says what was expected of folder, files and inputs."""
    with pytest.raises(FormatError, match="expected the folder of an encoder, found none"):
        OnnxEncoder(tmp_path / "nowhere")
    write_model(folder / "model.onnx", inputs=("input_ids", "pixel_values"))
    with pytest.raises(FormatError, match="found input_ids, pixel_values"):
        OnnxEncoder(folder)
    write_model(folder / "model.onnx", output=("n",))
    with pytest.raises(FormatError, match="expected a vector for each token or text"):
        OnnxEncoder(folder)
    (folder / "model.onnx").write_bytes(b"no model")
    with pytest.raises(FormatError, match=r"model.onnx: expected an ONNX model"):
        OnnxEncoder(folder)
    (folder / "model.onnx").unlink()
    with pytest.raises(FormatError, match=r"expected model\.onnx in the folder"):
        OnnxEncoder(folder)
    write_model(folder / "model.onnx")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(FormatError, match=r"tokenizer.json: expected a tokenizer"):
        OnnxEncoder(folder)
    (folder / "tokenizer.json").unlink()
    with pytest.raises(FormatError, match=r"expected tokenizer.json in the folder"):
        OnnxEncoder(folder)


@pytest.mark.parametrize(("content", "found"), [("{", "expected JSON"), ("[]", "found list")])
def test_invalid_settings_files_are_reported(folder, content, found):
    """The error names the file."""
    (folder / "config.json").write_text(content)
    with pytest.raises(FormatError, match=rf"config.json: .*{found}"):
        OnnxEncoder(folder)


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
def test_a_missing_library_is_named_by_its_extra(folder, monkeypatch, library):
    """The message names the extra to install."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=r"berryeval\[onnx\]"):
        OnnxEncoder(folder)
