"""Write a BERT encoder with weights in safetensors as a folder that `OnnxEncoder` opens.

``python scripts/bert_to_onnx.py WEIGHTS FOLDER`` takes a folder with config.json, tokenizer.json
and model.safetensors. The graph is written down operator by operator, so that neither torch nor
transformers has to be installed; onnx and safetensors do.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

OPSET = 20  # the first version with Gelu
BESIDE = ("tokenizer.json", "config.json", "sentence_bert_config.json", "1_Pooling/config.json")
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def main() -> None:
    """Read weights and write the folder."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("weights", type=Path, help="a folder with model.safetensors")
    options.add_argument("folder", type=Path, help="where the encoder goes")
    chosen = options.parse_args()
    config = json.loads((chosen.weights / "config.json").read_text(encoding="utf-8"))
    if config.get("model_type") != "bert" or config.get("hidden_act") != "gelu":
        sys.exit(f"{chosen.weights}: expected a BERT with gelu, found {config.get('model_type')}")
    model = Graph(load_file(chosen.weights / "model.safetensors"), config).build()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, chosen.folder / "model.onnx")
    for name in BESIDE:
        if (chosen.weights / name).is_file():
            (chosen.folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(chosen.weights / name, chosen.folder / name)
    print(f"wrote {chosen.folder}")


class Graph:
    """BERT's encoder: Devlin et al. (2019), NAACL, 4171-4186; Vaswani et al. (2017), NeurIPS."""

    def __init__(self, weights: dict[str, npt.NDArray[Any]], config: dict[str, Any]) -> None:
        self._weights = {name.removeprefix("bert."): array for name, array in weights.items()}
        self._config = config
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def build(self) -> onnx.ModelProto:
        """Return the model: token ids and masks in, a state for each token out."""
        states = self._embeddings()
        hidden = self._mask()
        for layer in range(self._config["num_hidden_layers"]):
            states = self._layer(states, hidden, f"encoder.layer.{layer}")
        self._nodes.append(helper.make_node("Identity", [states], ["last_hidden_state"]))
        size = self._config["hidden_size"]
        graph = helper.make_graph(
            self._nodes,
            "bert",
            [helper.make_tensor_value_info(n, TensorProto.INT64, ["n", "length"]) for n in INPUTS],
            [helper.make_tensor_value_info(
                "last_hidden_state", TensorProto.FLOAT, ["n", "length", size])],
            list(self._constants.values()),
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = 9  # the version of this opset, which older runtimes also read
        onnx.checker.check_model(model)
        return model

    def _embeddings(self) -> str:
        words = self._op("Gather", self._weight("embeddings.word_embeddings.weight"), "input_ids")
        kinds = self._op(
            "Gather", self._weight("embeddings.token_type_embeddings.weight"), "token_type_ids"
        )
        length = self._op("Gather", self._op("Shape", "input_ids"), self._constant("one", [1]))
        places = self._op(
            "Slice",
            self._weight("embeddings.position_embeddings.weight"),
            self._constant("zero", [0]),
            length,
        )
        total = self._op("Add", self._op("Add", words, kinds), places)
        return self._normalized(total, "embeddings.LayerNorm")

    def _mask(self) -> str:
        """Return what is added to attention: 0 for a token, very little for padding."""
        mask = self._op("Cast", "attention_mask", to=TensorProto.FLOAT)
        absent = self._op("Sub", self._constant("present", np.float32(1)), mask)
        low = self._op("Mul", absent, self._constant("low", np.float32(-1e9)))
        return self._op("Unsqueeze", low, self._constant("heads_and_queries", [1, 2]))

    def _layer(self, states: str, hidden: str, name: str) -> str:
        context = self._attention(states, hidden, f"{name}.attention.self")
        attended = self._linear(context, f"{name}.attention.output.dense")
        states = self._normalized(
            self._op("Add", attended, states), f"{name}.attention.output.LayerNorm"
        )
        inner = self._op("Gelu", self._linear(states, f"{name}.intermediate.dense"))
        outer = self._linear(inner, f"{name}.output.dense")
        return self._normalized(self._op("Add", outer, states), f"{name}.output.LayerNorm")

    def _attention(self, states: str, hidden: str, name: str) -> str:
        n_heads = self._config["num_attention_heads"]
        size = self._config["hidden_size"] // n_heads
        apart = self._constant("apart", [0, 0, n_heads, size])
        query, key, value = (
            self._op(
                "Transpose",
                self._op("Reshape", self._linear(states, f"{name}.{part}"), apart),
                perm=order,
            )
            for part, order in (
                ("query", [0, 2, 1, 3]),
                ("key", [0, 2, 3, 1]),
                ("value", [0, 2, 1, 3]),
            )
        )
        scale = self._constant("scale", np.float32(1 / np.sqrt(size)))
        scores = self._op("Add", self._op("Mul", self._op("MatMul", query, key), scale), hidden)
        context = self._op("MatMul", self._op("Softmax", scores, axis=-1), value)
        together = self._constant("together", [0, 0, n_heads * size])
        return self._op("Reshape", self._op("Transpose", context, perm=[0, 2, 1, 3]), together)

    def _linear(self, states: str, name: str) -> str:
        product = self._op("MatMul", states, self._weight(f"{name}.weight", transposed=True))
        return self._op("Add", product, self._weight(f"{name}.bias"))

    def _normalized(self, states: str, name: str) -> str:
        return self._op(
            "LayerNormalization",
            states,
            self._weight(f"{name}.weight"),
            self._weight(f"{name}.bias"),
            epsilon=float(self._config["layer_norm_eps"]),
        )

    def _weight(self, name: str, *, transposed: bool = False) -> str:
        array = self._weights[name].astype(np.float32)
        return self._constant(name, np.ascontiguousarray(array.T) if transposed else array)

    def _constant(self, name: str, value: npt.ArrayLike) -> str:
        if name not in self._constants:
            self._constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def _op(self, kind: str, *inputs: str, **attributes: Any) -> str:  # noqa: ANN401 - as onnx has it
        output = f"{kind}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output


if __name__ == "__main__":
    main()
