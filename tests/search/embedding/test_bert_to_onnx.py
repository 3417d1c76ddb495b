"""The script that converts BERT to ONNX, compared with BERT in NumPy."""

import importlib.util
import json
import sys
from math import erf
from pathlib import Path

import numpy as np
import pytest

from berryeval.search.embedding.onnx_encoder import OnnxEncoder
from search.embedding.test_onnx_encoder import WORDS, write_tokenizer

pytest.importorskip("onnx")
safetensors = pytest.importorskip("safetensors.numpy")

SCRIPT = Path(__file__).parents[3] / "scripts" / "bert_to_onnx.py"
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": 8,
    "num_attention_heads": 2,
    "num_hidden_layers": 2,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": 16,
}


def run_script(*arguments, monkeypatch):
    spec = importlib.util.spec_from_file_location("bert_to_onnx", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(sys, "argv", ["bert_to_onnx.py", *map(str, arguments)])
    script.main()


def weights():
    random = np.random.default_rng(7)
    shapes = {
        "embeddings.word_embeddings.weight": (len(WORDS), 8),
        "embeddings.position_embeddings.weight": (16, 8),
        "embeddings.token_type_embeddings.weight": (2, 8),
    }
    sizes = {
        "attention.self.query": (8, 8), "attention.self.key": (8, 8),
        "attention.self.value": (8, 8), "attention.output.dense": (8, 8),
        "intermediate.dense": (12, 8), "output.dense": (8, 12),
    }  # fmt: skip
    norms = ["embeddings.LayerNorm"]
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        for name, (n_out, n_in) in sizes.items():
            shapes[f"{layer}.{name}.weight"] = (n_out, n_in)
            shapes[f"{layer}.{name}.bias"] = (n_out,)
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        shapes |= {f"{name}.weight": (8,), f"{name}.bias": (8,)}
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def bert(w, ids):
    """Return the token states of one text, line by line as in the paper."""

    def linear(x, name):
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def normalized(x, name):
        deviation = x - x.mean(axis=1, keepdims=True)
        scale = np.sqrt((deviation**2).mean(axis=1, keepdims=True) + 1e-12)
        return deviation / scale * w[f"{name}.weight"] + w[f"{name}.bias"]

    x = (
        w["embeddings.word_embeddings.weight"][ids]
        + w["embeddings.token_type_embeddings.weight"][0]
    )
    x = normalized(
        x + w["embeddings.position_embeddings.weight"][: len(ids)], "embeddings.LayerNorm"
    )
    for layer in ("encoder.layer.0", "encoder.layer.1"):
        query, key, value = (
            linear(x, f"{layer}.attention.self.{part}") for part in ("query", "key", "value")
        )
        heads = []
        for head in (slice(0, 4), slice(4, 8)):
            scores = np.exp(query[:, head] @ key[:, head].T / 2)
            heads.append(scores / scores.sum(axis=1, keepdims=True) @ value[:, head])
        attended = linear(np.hstack(heads), f"{layer}.attention.output.dense")
        x = normalized(attended + x, f"{layer}.attention.output.LayerNorm")
        inner = linear(x, f"{layer}.intermediate.dense")
        inner *= 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        x = normalized(linear(inner, f"{layer}.output.dense") + x, f"{layer}.output.LayerNorm")
    return x


@pytest.fixture
def folder(tmp_path):
    """A folder with weights in the layout of model hubs."""
    place = tmp_path / "weights"
    (place / "1_Pooling").mkdir(parents=True)
    (place / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    (place / "config.json").write_text(json.dumps(CONFIG))
    write_tokenizer(place)
    safetensors.save_file(
        {f"bert.{name}": array for name, array in weights().items()}, place / "model.safetensors"
    )
    return place


def test_the_graph_computes_bert(folder, tmp_path, monkeypatch):
    """Padding does not affect a batch of texts of different lengths."""
    run_script(folder, tmp_path / "encoder", monkeypatch=monkeypatch)
    encoder = OnnxEncoder(tmp_path / "encoder")
    assert (encoder.pooling, encoder.max_length) == ("mean", 16)
    texts = ["renew the token", "cache", "the token the cache renew"]
    for text, found in zip(texts, encoder.embed(texts), strict=True):
        ids = [1, *(WORDS.index(word) for word in text.split()), 2]
        expected = bert(weights(), ids).mean(axis=0)
        np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=1e-5)


def test_another_kind_of_model_is_rejected(folder, tmp_path, monkeypatch):
    """Its graph would be wrong."""
    (folder / "config.json").write_text(json.dumps({**CONFIG, "model_type": "roberta"}))
    with pytest.raises(SystemExit, match="expected a BERT with gelu, found roberta"):
        run_script(folder, tmp_path / "encoder", monkeypatch=monkeypatch)
