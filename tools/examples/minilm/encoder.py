"""The encoder in Kiln: every operation of the forward pass is a kernel of api/kernels.

    encoder = Encoder(kiln.Runtime(), HostArrays("f32"), tensors, Config(), kernels_folder)
    rows = encoder.embed([[101, 4542, 102]])    # float32, of unit length

A layer is seven launches: the product that gives queries, keys and values; attention; the product of its output, which
adds the residual; norm; then two products, the second of which adds the residual, and norm.
"""

import re

import numpy as np

from batches import BUCKETS, make_batches


class Encoder:
    """The model on one device. Weights are copied there once; nothing else is kept between calls."""

    def __init__(self, runtime, arrays, tensors, config, kernels_folder):
        self._arrays = arrays
        self._config = config
        self._t = {name: arrays.weight(tensor) for name, tensor in tensors.items()}

        def module(name, lengths=()):
            text = (kernels_folder / f"{name}.kiln").read_text(encoding="utf-8")
            return runtime.load_text(declare_buckets(text, lengths), name)

        gemm = module("gemm")
        self._embedding_sum = module("embedding", ["L"]).find("embedding_sum")
        self._layernorm = module("layernorm").find("layernorm")
        self._linear = gemm.find("linear", ACT=0)
        self._linear_gelu = gemm.find("linear", ACT=1)
        self._linear_residual = gemm.find("linear_residual")
        self._attention = module("attention", ["S", "L"]).find("attention", CAUSAL=0)
        self._mean_pool = module("mean_pool", ["L"]).find("mean_pool")

    def embed(self, sentences):
        """One row of unit length for each sentence, a list of token numbers."""
        rows = np.empty((len(sentences), self._config.hidden), dtype=np.float32)
        for batch in make_batches(sentences):
            rows[batch.rows] = self._embed_batch(batch)
        return rows

    def _embed_batch(self, batch):
        make, config, t = self._arrays, self._config, self._t
        count, length = batch.ids.shape
        tokens, hidden = count * length, config.hidden
        lens = make.integers(batch.lengths)

        summed = make.empty(count, length, hidden)
        self._launch(self._embedding_sum, t["words"], t["positions"], t["kinds"], make.integers(batch.ids), summed)
        x = self._norm(summed.reshape(tokens, hidden), "norm")
        for layer in range(config.layers):
            qkv = make.empty(tokens, 3 * hidden)
            self._launch(self._linear, x, t[f"{layer}.qkv.weight"], t[f"{layer}.qkv.bias"], qkv)
            heads = qkv.reshape(count, length, 3, config.heads, config.head_dim)
            mixed = make.empty(count, length, config.heads, config.head_dim)
            q, k, v = (heads[:, :, part] for part in range(3))
            self._launch(self._attention, q, k, v, lens, mixed, config.head_dim**-0.5)
            x = self._norm(self._add_product(mixed.reshape(tokens, hidden), x, f"{layer}.out"), f"{layer}.out_norm")

            inner = make.empty(tokens, config.inner)
            self._launch(self._linear_gelu, x, t[f"{layer}.up.weight"], t[f"{layer}.up.bias"], inner)
            x = self._norm(self._add_product(inner, x, f"{layer}.down"), f"{layer}.down_norm")
        pooled = make.empty_f32(count, hidden)
        self._launch(self._mean_pool, x.reshape(count, length, hidden), lens, pooled)
        return make.to_numpy(pooled)

    def _norm(self, x, name):
        y = self._arrays.empty(*x.shape)
        self._launch(self._layernorm, x, self._t[f"{name}.weight"], self._t[f"{name}.bias"], y, self._config.eps)
        return y

    def _add_product(self, a, residual, name):
        c = self._arrays.empty(*residual.shape)
        self._launch(self._linear_residual, a, self._t[f"{name}.weight"], self._t[f"{name}.bias"], residual, c)
        return c

    def _launch(self, op, *arguments):
        op(*arguments, stream=self._arrays.stream)


def declare_buckets(text, symbols):
    """The kernels of `text` with `symbols` in our buckets, where the library leaves them to run time."""
    policy = f"bucket({', '.join(map(str, BUCKETS))})"
    for symbol in symbols:
        text, count = re.subn(rf"\b{symbol}: dynamic( tuned\(pow2\))?", f"{symbol}: {policy}", text)
        if count == 0:
            raise ValueError(f"no kernel has a dynamic symbol {symbol}")
    return text
