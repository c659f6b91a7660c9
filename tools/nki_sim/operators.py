"""Operator and activation tokens, and their arithmetic: float32 for arithmetic ones, integers for bitwise ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

import numpy as np

from .rules import require

_ERF = np.frompyfunc(math.erf, 1, 1)


@dataclass(frozen=True)
class Token:
    """One name of nl that instructions take as an operator."""

    name: str
    bitwise: bool = False

    def __repr__(self) -> str:
        return f"nl.{self.name}"


Binary = Callable[[np.ndarray, np.ndarray], np.ndarray]

ARITHMETIC: dict[str, Binary] = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "power": np.power,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "logical_and": lambda a, b: np.logical_and(a != 0, b != 0),
    "logical_or": lambda a, b: np.logical_or(a != 0, b != 0),
    "logical_xor": lambda a, b: np.logical_xor(a != 0, b != 0),
}
BITWISE: dict[str, Binary] = {
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "left_shift": np.left_shift,
    "right_shift": np.right_shift,
}
# Unary ones that tensor_scalar takes as op0, its operand being 0.
UNARY_IN_TENSOR_SCALAR: dict[str, int] = {"rsqrt": 2, "abs": 2, "square": 4, "relu": 4}  # generation
REDUCTIONS: dict[str, np.ufunc] = {
    "add": np.add,
    "multiply": np.multiply,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
}


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _erf(x: np.ndarray) -> np.ndarray:
    return _ERF(x).astype(np.float64)


_HALF_ROOT = math.sqrt(0.5)
_TANH_SCALE = math.sqrt(2 / math.pi)

ACTIVATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "copy": lambda x: x,
    "square": np.square,
    "sigmoid": _sigmoid,
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * 0.5 * (1 + _erf(x * _HALF_ROOT)),
    "gelu_apprx_tanh": lambda x: x * 0.5 * (1 + np.tanh(_TANH_SCALE * (x + 0.044715 * x**3))),
    "gelu_apprx_sigmoid": lambda x: x * _sigmoid(1.702 * x),
    "silu": lambda x: x * _sigmoid(x),
    "tanh": np.tanh,
    "softplus": lambda x: np.logaddexp(0, x),
    "mish": lambda x: x * np.tanh(np.logaddexp(0, x)),
    "erf": _erf,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "arctan": np.arctan,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "reciprocal": lambda x: 1 / x,
    "sign": np.sign,
    "abs": np.abs,
}

# What an activation is defined for: least and greatest argument; "reciprocal" goes by the size of its argument.
RANGES: dict[str, tuple[float, float]] = {
    "log": (2.0**-64, 2.0**64),
    "sqrt": (2.0**-116, 2.0**118),
    "rsqrt": (2.0**-87, 2.0**97),
    "reciprocal": (2.0**-42, 2.0**42),
    "sin": (-math.pi, math.pi),
    "arctan": (-math.pi / 2, math.pi / 2),
}


def check_range(subject: str, name: str, x: np.ndarray) -> None:
    """Refuses an argument that the activation `name` is not defined for."""
    if name not in RANGES:
        return
    low, high = RANGES[name]
    size = np.abs(x) if name == "reciprocal" else x
    inside = (size >= np.float32(low)) & (size <= np.float32(high))
    if not inside.all():
        worst = x.reshape(-1)[int(np.argmin(inside.reshape(-1)))]
        require(False, 39, subject, f"{name} of {float(worst)!r}, defined from {low!r} to {high!r}")


def apply(token: Token, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`a token b`, in float32 or, for bitwise operators, in integers."""
    if token.bitwise:
        return BITWISE[token.name](a, b)
    with np.errstate(all="ignore"):
        return np.asarray(ARITHMETIC[token.name](np.float32(a), np.float32(b))).astype(np.float32)


def activate(name: str, x: np.ndarray) -> np.ndarray:
    """The activation, computed in float64 and rounded once to float32."""
    with np.errstate(all="ignore"):
        return np.asarray(ACTIVATIONS[name](x.astype(np.float64))).astype(np.float32)


TOKENS: dict[str, Token] = {
    **{name: Token(name) for name in {**ARITHMETIC, **ACTIVATIONS}},
    **{name: Token(name, bitwise=True) for name in BITWISE},
}
