"""Sentences of many lengths as a few dense shapes: each is padded to the edge of its bucket."""

import dataclasses

import numpy as np

# The lengths that kernels are specialized for. A sentence meets the first that holds it.
BUCKETS = (16, 32, 64, 128)

# Enough work for one launch to fill a device, and little enough for its intermediate results to stay in a cache.
_MAX_TOKENS = 2048


@dataclasses.dataclass(frozen=True)
class Batch:
    """Sentences of one bucket."""

    rows: list  # which sentences these are
    ids: np.ndarray  # i32 [B, bucket], zero past a sentence's end
    lengths: np.ndarray  # i32 [B]


def bucket_of(length):
    """The shortest bucket that holds `length` tokens."""
    for bucket in BUCKETS:
        if length <= bucket:
            return bucket
    raise ValueError(f"a sentence of {length} tokens is longer than the largest bucket, {BUCKETS[-1]}")


def make_batches(sentences):
    """Batches that hold every sentence, a list of token numbers, once; in ascending order of buckets and rows."""
    members = {bucket: [] for bucket in BUCKETS}
    for row, ids in enumerate(sentences):
        members[bucket_of(len(ids))].append(row)
    batches = []
    for bucket, rows in members.items():
        most = _MAX_TOKENS // bucket
        for start in range(0, len(rows), most):
            batches.append(_pad(sentences, rows[start : start + most], bucket))
    return batches


def _pad(sentences, rows, bucket):
    ids = np.zeros((len(rows), bucket), dtype=np.int32)
    for i, row in enumerate(rows):
        ids[i, : len(sentences[row])] = sentences[row]
    return Batch(rows, ids, np.array([len(sentences[row]) for row in rows], dtype=np.int32))
