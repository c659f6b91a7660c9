"""NkiTensor: storage seen through a shape, strides and a dtype, with the documented view methods.

A tensor carries two numpy views of its storage, of equal strides: `bits`, one item an element, and `state`, with one
mark for each byte of an element in a last dimension of its own. Where a view starts is read off their addresses.
"""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from .dtypes import DType, decode, encode
from .memory import ON_CHIP, UNWRITTEN, Storage
from .rules import Refused, require


class NkiTensor:
    def __init__(self, storage: Storage, bits: np.ndarray, state: np.ndarray, dtype: DType, name: str) -> None:
        self.storage = storage
        self.bits = bits
        self.state = state
        self.dtype = dtype
        self.name = name

    @staticmethod
    def over(storage: Storage, shape: tuple[int, ...], dtype: DType, name: str) -> NkiTensor:
        """All of `storage`, in row-major order."""
        bits = storage.bytes.view(dtype.bits).reshape(shape)
        return NkiTensor(storage, bits, storage.state.reshape(shape + (dtype.size,)), dtype, name)

    # ---- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        return self.bits.shape

    @property
    def ndim(self) -> int:
        return self.bits.ndim

    @property
    def size(self) -> int:
        return int(self.bits.size)

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements; of the partition dimension, those of one partition."""
        return tuple(stride // self.dtype.size for stride in self.bits.strides)

    @property
    def buffer(self) -> str:
        return self.storage.region

    @property
    def on_chip(self) -> bool:
        return self.storage.region in ON_CHIP

    @property
    def free(self) -> int:
        """Elements a partition."""
        return self.size // self.shape[0] if self.shape else 1

    @property
    def _byte(self) -> int:
        return int(self.bits.__array_interface__["data"][0] - self.storage.bytes.__array_interface__["data"][0])

    @property
    def start_partition(self) -> int:
        return self.storage.start_partition + self._byte // self.storage.bytes.shape[1]

    @property
    def offset(self) -> int:
        """Bytes from the start of a partition, or of a tensor in HBM."""
        return self._byte % self.storage.bytes.shape[1] if self.on_chip else self._byte

    @property
    def span(self) -> int:
        """Bytes of a partition from the first element to behind the last."""
        reach = sum((n - 1) * stride for n, stride in zip(self.shape[1:], self.bits.strides[1:]) if stride > 0)
        return reach + self.dtype.size

    def __str__(self) -> str:
        return f"{self.name or self.buffer}{list(self.shape)} {self.dtype.name} in {self.buffer}"

    # ---- what it holds

    def values(self) -> np.ndarray:
        return decode(self.bits, self.dtype)

    def written(self) -> bool:
        return bool((self.state != UNWRITTEN).all())

    def store(self, values: np.ndarray, mark: int) -> None:
        """Casts and writes `values`, of as many elements in the same order."""
        self.store_bits(encode(values, self.dtype), mark)

    def store_bits(self, bits: np.ndarray, mark: int) -> None:
        self.bits[...] = np.asarray(bits).reshape(self.shape)
        self.state[...] = mark

    # ---- views

    def _view(self, bits: np.ndarray, state: np.ndarray, dtype: DType | None = None) -> NkiTensor:
        return NkiTensor(self.storage, bits, state, dtype or self.dtype, self.name)

    def _keeps_partitions(self, holds: bool, what: str) -> None:
        require(holds or not self.on_chip, 7, what, f"of {self}")

    def __getitem__(self, index: Any) -> NkiTensor:
        items = list(index) if isinstance(index, tuple) else [index]
        at = next((i for i, item in enumerate(items) if item is Ellipsis), None)
        if at is not None:
            items[at : at + 1] = [slice(None)] * (self.ndim - len(items) + 1)
        require(len(items) <= self.ndim, 6, str(self), f"{len(items)} indices")
        key: list[Any] = []
        for dim, item in enumerate(items):
            extent = self.shape[dim]
            if isinstance(item, slice):
                step = 1 if item.step is None else item.step
                start = 0 if item.start is None else item.start
                stop = extent if item.stop is None else item.stop
                inside = 0 <= start < stop <= extent and step >= 1
                require(inside, 6, str(self), f"{start}:{stop}:{step} of dimension {dim}")
                key.append(slice(int(start), int(stop), int(step)))
            elif isinstance(item, (int, np.integer)) and not isinstance(item, bool):
                require(0 <= item < extent, 6, str(self), f"index {item} of dimension {dim}")
                # A partition keeps its dimension.
                key.append(slice(int(item), int(item) + 1) if dim == 0 and self.on_chip else int(item))
            else:
                raise Refused(6, str(self), f"an index of type {type(item).__name__}")
        return self._view(self.bits[tuple(key)], self.state[tuple(key)])

    def __setitem__(self, index: Any, value: Any) -> None:
        raise Refused(46, str(self), "an assignment; tensors are written by instructions")

    def slice(self, dim: int, start: int, end: int, step: int = 1) -> NkiTensor:
        return self[(slice(None),) * dim + (slice(start, end, step),)]

    def select(self, dim: int, index: int) -> NkiTensor:
        self._keeps_partitions(dim != 0, "select")
        return self[(slice(None),) * dim + (index,)]

    def permute(self, dims: tuple[int, ...]) -> NkiTensor:
        require(sorted(dims) == list(range(self.ndim)), 7, "permute", f"{dims} of {self}")
        self._keeps_partitions(dims[0] == 0, "permute")
        return self._view(self.bits.transpose(dims), self.state.transpose(*dims, self.ndim))

    def broadcast(self, dim: int, size: int) -> NkiTensor:
        self._keeps_partitions(dim != 0, "broadcast")
        require(self.shape[dim] == 1, 7, "broadcast", f"dimension {dim} of {self}")
        shape = self.shape[:dim] + (size,) + self.shape[dim + 1 :]
        return self._view(np.broadcast_to(self.bits, shape), np.broadcast_to(self.state, shape + (self.dtype.size,)))

    def expand_dim(self, dim: int) -> NkiTensor:
        self._keeps_partitions(dim != 0, "expand_dim")
        return self._view(np.expand_dims(self.bits, dim), np.expand_dims(self.state, dim))

    def squeeze_dim(self, dim: int) -> NkiTensor:
        self._keeps_partitions(dim != 0, "squeeze_dim")
        require(self.shape[dim] == 1, 7, "squeeze_dim", f"dimension {dim} of {self}")
        return self._view(self.bits.squeeze(dim), self.state.squeeze(dim))

    def reshape(self, shape: tuple[int, ...]) -> NkiTensor:
        shape = _without_minus_one(tuple(shape), self.size)
        require(int(np.prod(shape)) == self.size, 7, "reshape", f"{shape} of {self}")
        self._keeps_partitions(shape[0] == self.shape[0], "reshape")
        bits, state = self.bits.view(), self.state.view()
        try:
            bits.shape, state.shape = shape, shape + (self.dtype.size,)
        except AttributeError as error:
            raise Refused(7, "reshape", f"{shape} of {self} needs a copy") from error
        return self._view(bits, state)

    def reshape_dim(self, dim: int, shape: tuple[int, ...]) -> NkiTensor:
        self._keeps_partitions(dim != 0 or len(shape) == 1, "reshape_dim")
        parts = _without_minus_one(tuple(shape), self.shape[dim])
        require(int(np.prod(parts)) == self.shape[dim], 7, "reshape_dim", f"{shape} of {self}")
        return self.reshape(self.shape[:dim] + parts + self.shape[dim + 1 :])

    def flatten_dims(self, start_dim: int, end_dim: int) -> NkiTensor:
        self._keeps_partitions(start_dim > 0, "flatten_dims")
        merged = int(np.prod(self.shape[start_dim : end_dim + 1]))
        return self.reshape(self.shape[:start_dim] + (merged,) + self.shape[end_dim + 1 :])

    def rearrange(self, src_pattern: tuple, dst_pattern: tuple, fixed_sizes: dict[str, int] | None = None) -> NkiTensor:
        """Splits dimensions into the named parts of `src_pattern`, reorders them, merges them as `dst_pattern` says."""
        sizes = dict(fixed_sizes or {})
        shape: list[int] = []
        names: list[str] = []
        require(len(src_pattern) == self.ndim, 7, "rearrange", f"{src_pattern} of {self}")
        for extent, group in zip(self.shape, src_pattern):
            parts = _group(group)
            known = int(np.prod([sizes[name] for name in parts if name in sizes]))
            open_names = [name for name in parts if name not in sizes]
            require(len(open_names) <= 1 and extent % known == 0, 7, "rearrange", f"{group} of {extent}")
            sizes.update({name: extent // known for name in open_names})
            shape += [sizes[name] for name in parts]
            names += parts
        wanted = [name for group in dst_pattern for name in _group(group)]
        require(sorted(wanted) == sorted(names), 7, "rearrange", f"{src_pattern} to {dst_pattern}")
        moved = self.reshape(tuple(shape)).permute(tuple(names.index(name) for name in wanted))
        return moved.reshape(tuple(int(np.prod([sizes[name] for name in _group(group)])) for group in dst_pattern))

    def view(self, dtype: DType) -> NkiTensor:
        """The same bytes as another dtype; the last dimension grows or shrinks by the ratio of sizes."""
        old, new = self.dtype.size, dtype.size
        require(
            self.ndim > 0 and self.bits.strides[-1] == old, 7, "view", f"{self} is not contiguous in its last dimension"
        )
        require(self.shape[-1] * old % new == 0, 7, "view", f"{self} as {dtype.name}")
        state = self.state.view()
        try:
            state.shape = self.shape[:-1] + (self.shape[-1] * old // new, new)
        except AttributeError as error:
            raise Refused(7, "view", f"{self} as {dtype.name}") from error
        return self._view(self.bits.view(dtype.bits), state, dtype)

    def ap(
        self,
        pattern: list[list[int]],
        offset: int | None = None,
        scalar_offset: Any = None,
        vector_offset: NkiTensor | None = None,
        indirect_dim: int = 0,
        dtype: DType | None = None,
    ) -> NkiTensor:
        """[[stride, count], ...] in elements over the storage; a stride over partitions is in elements of a row."""
        require(len(pattern) > 0, 7, "ap", f"no pattern for {self}")
        base = self if dtype is None else self.view(dtype)
        scale = base.strides[indirect_dim] if (scalar_offset is not None or vector_offset is not None) else 0
        start = (offset or 0) + (index_of(scalar_offset) * scale if scalar_offset is not None else 0)
        if vector_offset is None:
            return base._strided(pattern, start)
        require(not self.on_chip, 7, "ap", f"vector_offset of {self}")
        rows = vector_offset.values().reshape(-1)
        require(vector_offset.written(), 8, "ap", f"vector_offset {vector_offset}")
        require(len(rows) == pattern[0][1], 5, "ap", f"{len(rows)} offsets for {pattern[0][1]} rows")
        parts = [base._strided([[0, 1], *pattern[1:]], start + int(row) * scale) for row in rows]
        return Gathered(base, parts)

    def _strided(self, pattern: Iterable[Iterable[int]], start: int) -> NkiTensor:
        strides, counts = zip(*pattern)
        itemsize = self.dtype.size
        first = self._byte + start * itemsize
        last = first + sum(stride * (count - 1) for stride, count in zip(strides, counts)) * itemsize
        require(0 <= first and last + itemsize <= self.storage.bytes.size, 6, "ap", f"elements outside of {self}")
        flat_bits = self.storage.bytes.reshape(-1)[first:].view()
        usable = len(flat_bits) // itemsize * itemsize
        bits = np.lib.stride_tricks.as_strided(
            flat_bits[:usable].view(self.dtype.bits), counts, [stride * itemsize for stride in strides]
        )
        state = np.lib.stride_tricks.as_strided(
            self.storage.state.reshape(-1)[first:],
            counts + (itemsize,),
            [stride * itemsize for stride in strides] + [1],
        )
        return self._view(bits, state)


class Gathered(NkiTensor):
    """Rows of a tensor in HBM, chosen by an index for each: the source of one DMA, not to be written."""

    def __init__(self, base: NkiTensor, rows: list[NkiTensor]) -> None:
        bits = np.concatenate([row.bits for row in rows])
        state = np.concatenate([row.state for row in rows])
        bits.flags.writeable = False
        super().__init__(base.storage, bits, state, base.dtype, base.name)

    @property
    def _byte(self) -> int:
        return 0


def index_of(value: Any) -> int:
    """What a run-time index holds: a loop's register, or a written tile of one element."""
    if isinstance(value, NkiTensor):
        require(value.size == 1 and value.written(), 8, "scalar_offset", str(value))
        return int(value.values().reshape(-1)[0])
    return int(value.value if hasattr(value, "value") else value)


def _group(group: Any) -> list[str]:
    return [group] if isinstance(group, str) else list(group)


def _without_minus_one(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    if shape.count(-1) != 1:
        return shape
    known = int(np.prod([extent for extent in shape if extent != -1]))
    return tuple(size // max(known, 1) if extent == -1 else extent for extent in shape)
