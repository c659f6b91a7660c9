"""Storage of tensors, what is known of each byte, and how much of SBUF and PSUM is live at once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .rules import Refused, require
from .target import PARTITIONS, PSUM_BANK_BYTES, PSUM_BANKS, PSUM_BYTES, Target

# What is known of a byte.
UNWRITTEN, WRITTEN, MATMUL = 0, 1, 2

ON_CHIP = ("sbuf", "psum")
_ALIGNMENT = {"sbuf": 4, "psum": PSUM_BANK_BYTES}


@dataclass
class Tile:
    """The life of one allocation on chip. It outlives its storage; instructions are numbered from 0."""

    region: str
    name: str
    partitions: int
    bytes: int  # a partition
    address: tuple[int, int] | None  # partition, byte
    first: int = -1
    last: int = -1

    @property
    def footprint(self) -> int:
        """Bytes a partition; PSUM goes by whole banks."""
        return -(-self.bytes // PSUM_BANK_BYTES) * PSUM_BANK_BYTES if self.region == "psum" else self.bytes

    def __str__(self) -> str:
        return f"{self.name} ({self.bytes} bytes x {self.partitions})"


class Storage:
    """The bytes of one tensor: (partitions, bytes a partition) on chip, one row in HBM; `state` has one mark a byte."""

    def __init__(self, region: str, rows: int, row_bytes: int, tile: Tile | None) -> None:
        self.region = region
        self.bytes = np.zeros((rows, row_bytes), dtype=np.uint8)
        self.state = np.zeros((rows, row_bytes), dtype=np.uint8)
        self.tile = tile

    @property
    def start_partition(self) -> int:
        return self.tile.address[0] if self.tile is not None and self.tile.address else 0


@dataclass
class Memory:
    """Every tile of one run. Tiles are live from their first access to their last, in program order: what the least
    demanding allocator needs. A tile takes its bytes in every partition, however few it has."""

    target: Target
    tiles: list[Tile] = field(default_factory=list)

    def allocate(
        self, region: str, shape: tuple[int, ...], size: int, name: str, address: tuple[int, int] | None
    ) -> Storage:
        count = int(np.prod(shape, dtype=np.int64))
        if region not in ON_CHIP:
            require(address is None, 13, f"ndarray {name}", "an address in HBM")
            return Storage(region, 1, count * size, None)
        require(1 <= shape[0] <= PARTITIONS, 1, f"ndarray {name}", f"{shape[0]} partitions")
        row = count // shape[0] * size
        limit = self.limit(region)
        require(
            row <= limit, 9 if region == "sbuf" else 10, f"ndarray {name}", f"{row} bytes a partition, limit {limit}"
        )
        if address is not None:
            partition, offset = address
            found = f"{region} address {address} of {row} bytes x {shape[0]}"
            require(0 <= partition and partition + shape[0] <= PARTITIONS, 13, f"ndarray {name}", found)
            require(offset >= 0 and offset % _ALIGNMENT[region] == 0, 13, f"ndarray {name}", found)
            require(offset + row <= limit, 13, f"ndarray {name}", found)
        tile = Tile(region, name or f"tile{len(self.tiles)}", shape[0], row, address)
        self.tiles.append(tile)
        return Storage(region, shape[0], row, tile)

    def limit(self, region: str) -> int:
        return self.target.sbuf_bytes if region == "sbuf" else PSUM_BYTES

    def peak(self, region: str) -> tuple[int, list[Tile]]:
        """Most bytes a partition that are live at once, and the tiles that were."""
        events: dict[int, list[Tile]] = {}
        for tile in self.tiles:
            if tile.region == region and tile.first >= 0:
                events.setdefault(tile.first, []).append(tile)
        live: list[Tile] = []
        best, most = 0, []
        for at in sorted(events):
            live = [tile for tile in live if tile.last >= at] + events[at]
            total = sum(tile.footprint for tile in live)
            if total > best:
                best, most = total, list(live)
        return best, most

    def check(self) -> None:
        """Refuses a run whose live tiles do not fit, or share fixed addresses."""
        for region, rule in (("sbuf", 9), ("psum", 10)):
            total, tiles = self.peak(region)
            if total > self.limit(region):
                largest = ", ".join(str(tile) for tile in sorted(tiles, key=lambda tile: -tile.footprint)[:4])
                amount = f"{total} bytes a partition" if region == "sbuf" else f"{total // PSUM_BANK_BYTES} banks"
                limit = self.limit(region) if region == "sbuf" else PSUM_BANKS
                raise Refused(rule, region, f"{amount} live, limit {limit}; largest: {largest}")
        self._check_addresses()

    def _check_addresses(self) -> None:
        fixed = [(tile.first, tile.address, tile) for tile in self.tiles if tile.address and tile.first >= 0]
        live: list[tuple[tuple[int, int], Tile]] = []
        for first, address, tile in sorted(fixed, key=lambda item: item[0]):
            live = [item for item in live if item[1].last >= first]
            for other_address, other in live:
                shared = tile.region == other.region
                shared = shared and _overlap(address[0], tile.partitions, other_address[0], other.partitions)
                shared = shared and _overlap(address[1], tile.bytes, other_address[1], other.bytes)
                require(
                    not shared, 13, tile.region, f"{tile} at {address} and {other} at {other_address} are live at once"
                )
            live.append((address, tile))


def _overlap(a: int, a_size: int, b: int, b_size: int) -> bool:
    return a < b + b_size and b < a + a_size
