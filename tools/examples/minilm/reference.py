"""The forward pass in numpy, float32, written for being read. Sentences lie end to end, without padding or masks."""

import numpy as np


def embed(tensors, config, sentences):
    """One row of unit length for each sentence, a list of token numbers."""
    t = tensors
    ends = np.cumsum([len(ids) for ids in sentences])
    spans = [slice(end - len(ids), end) for ids, end in zip(sentences, ends)]
    places = np.concatenate([np.arange(len(ids)) for ids in sentences])
    x = t["words"][np.concatenate(sentences)] + t["positions"][places] + t["kinds"][0]
    x = _norm(t, "norm", x, config)
    for layer in range(config.layers):
        qkv = _product(t, f"{layer}.qkv", x)
        mixed = np.concatenate([_attention(qkv[span], config) for span in spans])
        x = _norm(t, f"{layer}.out_norm", x + _product(t, f"{layer}.out", mixed), config)
        inner = _gelu(_product(t, f"{layer}.up", x))
        x = _norm(t, f"{layer}.down_norm", x + _product(t, f"{layer}.down", inner), config)
    means = np.stack([x[span].mean(axis=0) for span in spans])
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def _product(t, name, x):
    return x @ t[f"{name}.weight"].T + t[f"{name}.bias"]


def _norm(t, name, x, config):
    centred = x - x.mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(config.eps))
    return centred / deviation * t[f"{name}.weight"] + t[f"{name}.bias"]


def _attention(qkv, config):
    tokens = qkv.shape[0]
    q, k, v = qkv.reshape(tokens, 3, config.heads, config.head_dim).transpose(1, 2, 0, 3)
    scores = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(config.head_dim))
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ v
    return mixed.transpose(1, 0, 2).reshape(tokens, config.hidden)


def _gelu(x):
    return x * np.float32(0.5) * (1 + erf(x * np.float32(np.sqrt(0.5))))


def erf(x):
    """Within 5e-7, which is about float32's own resolution: formula 7.1.26 of Abramowitz and Stegun."""
    a = np.abs(x)
    t = 1 / (1 + np.float32(0.3275911) * a)
    series = np.float32(1.061405429)
    for c in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * t + np.float32(c)
    return np.copysign(1 - series * t * np.exp(-a * a), x)
