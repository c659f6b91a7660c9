"""Every numbered rule: a kernel that breaks it is refused by it, and one that nearly does runs."""

import unittest
from dataclasses import dataclass

from harness import SimTest, nki_sim


@dataclass(frozen=True)
class Case:
    rule: int
    illegal: str
    legal: str
    target: str = "trn2"
    legal_target: str = ""


CASES = [
    # ---- shapes and access
    Case(
        1,
        "nl.ndarray((129, 4), dtype=nl.float32, buffer=nl.sbuf)",
        "nl.ndarray((128, 4), dtype=nl.float32, buffer=nl.sbuf)",
    ),
    Case(
        1,
        "nl.ndarray((128,), dtype=nl.float32, buffer=nl.sbuf)",
        "nl.ndarray((128,), dtype=nl.float32, buffer=nl.private_hbm)",
    ),
    Case(
        2,
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[16:56, :], value=0.0)"),
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[64:104, :], value=0.0)"),
    ),
    Case(
        2,
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[32:97, :], value=0.0)"),
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[0:65, :], value=0.0)"),
    ),
    Case(
        2,
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[32:96, :], value=0.0)"),
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[96:128, :], value=0.0)"),
    ),
    Case(
        2,
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[5, :], value=0.0)"),
        ("t = tile((128, 8))\n"
         "nisa.dma_copy(dst=t[5, :], src=x[0:1, 0:8])"),
    ),
    Case(
        3,
        ("t = tile((4, 2, 2, 2, 2, 2))\n"
         "nisa.tensor_copy(dst=tile((4, 32)), src=t)"),
        ("t = tile((4, 2, 2, 2, 4))\n"
         "nisa.tensor_copy(dst=tile((4, 32)), src=t)"),
    ),
    Case(
        3,
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[0:64:2, :], value=0.0)"),
        ("t = tile((128, 8))\n"
         "nisa.memset(dst=t[0:64, 0:8:2], value=0.0)"),
    ),
    Case(
        3,
        ("t = nl.ndarray((4, 2, 32769), dtype=nl.int8, buffer=nl.sbuf)\n"
         "nisa.memset(dst=t[:, :, 0:1], value=1)"),
        ("t = nl.ndarray((4, 2, 32767), dtype=nl.int8, buffer=nl.sbuf)\n"
         "nisa.memset(dst=t[:, :, 0:1], value=1)"),
    ),
    Case(
        4,
        ("t = nl.ndarray((4, 2, 32769), dtype=nl.int8, buffer=nl.sbuf)\n"
         "nisa.memset(dst=t, value=1)"),
        ("t = nl.ndarray((4, 2, 32768), dtype=nl.int8, buffer=nl.sbuf)\n"
         "nisa.memset(dst=t, value=1)"),
    ),
    Case(
        4,
        ("t = psum((4, 4097), nl.bfloat16)\n"
         "nisa.memset(dst=t, value=0.0)"),
        ("t = psum((4, 4096), nl.bfloat16)\n"
         "nisa.memset(dst=t, value=0.0)"),
    ),
    Case(
        5,
        "nisa.tensor_copy(dst=tile((64, 8)), src=tile((32, 8)))",
        "nisa.tensor_copy(dst=tile((64, 8)), src=tile((64, 2, 4)))",
    ),
    Case(
        5,
        "nisa.tensor_tensor(dst=tile((64, 8)), data1=tile((64, 8)), data2=tile((64, 1)), op=nl.add)",
        "nisa.tensor_scalar(dst=tile((64, 8)), data=tile((64, 8)), op0=nl.add, operand0=tile((64, 1)))",
    ),
    Case(6, "nisa.memset(dst=tile((8, 8))[:, 4:9], value=0.0)", "nisa.memset(dst=tile((8, 8))[:, 4:8], value=0.0)"),
    Case(6, "nisa.memset(dst=tile((8, 8))[:, 8], value=0.0)", "nisa.memset(dst=tile((8, 8))[:, 7], value=0.0)"),
    Case(6, "tile((8, 8)).ap(pattern=[[8, 8], [1, 9]])", "tile((8, 8)).ap(pattern=[[8, 8], [1, 8]])"),
    Case(7, "tile((8, 4)).permute((1, 0))", "tile((8, 4, 2)).permute((0, 2, 1))"),
    Case(7, "tile((1, 4)).broadcast(0, 8)", "x[0:1, 0:4].broadcast(0, 8)"),
    Case(7, "tile((8, 4)).reshape((4, 8))", "tile((8, 4)).reshape((8, 2, 2))"),
    Case(7, "tile((8, 4)).view(nl.int8)[:, 0:3].view(nl.int16)", "tile((8, 4)).view(nl.int8)[:, 0:4].view(nl.int16)"),
    # ---- memory
    Case(
        8,
        ("t = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)\n"
         "nisa.memset(dst=t[:, 0:7], value=0.0)\n"
         "nisa.tensor_copy(dst=tile((8, 8)), src=t)"),
        ("t = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.sbuf)\n"
         "nisa.memset(dst=t[:, 0:7], value=0.0)\n"
         "nisa.tensor_copy(dst=tile((8, 7)), src=t[:, 0:7])"),
    ),
    Case(
        8,
        ("y = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.private_hbm)\n"
         "nisa.dma_copy(dst=tile((8, 8)), src=y)"),
        ("y = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.private_hbm)\n"
         "nisa.dma_copy(dst=y, src=x[0:8, 0:8])\n"
         "nisa.dma_copy(dst=tile((8, 8)), src=y)"),
    ),
    Case(
        9,
        "nl.ndarray((8, 212985), dtype=nl.int8, buffer=nl.sbuf)",
        "nl.ndarray((8, 212984), dtype=nl.int8, buffer=nl.sbuf)",
    ),
    Case(
        9,
        "nl.ndarray((8, 180225), dtype=nl.int8, buffer=nl.sbuf)",
        "nl.ndarray((8, 180225), dtype=nl.int8, buffer=nl.sbuf)",
        "trn1", "trn2",
    ),
    Case(
        9,
        "nl.ndarray((8, 212985), dtype=nl.int8, buffer=nl.sbuf)",
        "nl.ndarray((8, 212985), dtype=nl.int8, buffer=nl.sbuf)",
        "trn2", "trn3",
    ),
    Case(
        9,
        ("a = tile((8, 30000))\n"
         "b = tile((8, 30000))\n"
         "nisa.tensor_copy(dst=a, src=b)"),
        ("a = tile((8, 30000))\n"
         "b = tile((8, 23246))\n"
         "nisa.tensor_copy(dst=a[:, 0:23246], src=b)"),
    ),
    Case(
        9,
        ("ts = [tile((8, 30000)) for i in range(2)]\n"
         "nisa.tensor_copy(dst=ts[1], src=ts[0])"),
        ("for i in range(3):\n"
         "    t = tile((8, 30000))\n"
         "    nisa.tensor_copy(dst=t, src=t)"),
    ),
    Case(
        10,
        ("ts = [product((8, 8)) for i in range(9)]\n"
         "for t in ts:\n"
         "    nisa.tensor_copy(dst=tile((8, 8)), src=t)"),
        ("ts = [product((8, 8)) for i in range(8)]\n"
         "for t in ts:\n"
         "    nisa.tensor_copy(dst=tile((8, 8)), src=t)"),
    ),
    Case(
        11,
        "nisa.dma_copy(dst=tile((8, 8)), src=product((8, 8)))",
        "nisa.tensor_copy(dst=tile((8, 8)), src=product((8, 8)))",
    ),
    Case(11, "nisa.dma_copy(dst=product((8, 8)), src=x[0:8, 0:8])", "nisa.dma_copy(dst=tile((8, 8)), src=x[0:8, 0:8])"),
    Case(
        12,
        "nisa.tensor_tensor(dst=tile((8, 8)), data1=tile((8, 8)), data2=product((8, 8)), op=nl.power)",
        "nisa.tensor_tensor(dst=tile((8, 8)), data1=tile((8, 8)), data2=tile((8, 8)), op=nl.power)",
    ),
    Case(
        12,
        "nisa.tensor_scalar(dst=product((8, 8)), data=tile((8, 8)), op0=nl.rsqrt, operand0=0.0)",
        "nisa.tensor_scalar(dst=tile((8, 8)), data=tile((8, 8)), op0=nl.rsqrt, operand0=0.0)",
    ),
    Case(
        13,
        "nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.psum, address=(0, 1024))",
        "nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.psum, address=(0, 2048))",
    ),
    Case(
        13,
        "nl.ndarray((64, 8), dtype=nl.float32, buffer=nl.sbuf, address=(96, 0))",
        "nl.ndarray((32, 8), dtype=nl.float32, buffer=nl.sbuf, address=(96, 0))",
    ),
    Case(
        13,
        ("a = tile((8, 8), address=(0, 0))\n"
         "b = tile((8, 8), address=(0, 28))\n"
         "nisa.tensor_copy(dst=b, src=a)"),
        ("a = tile((8, 8), address=(0, 0))\n"
         "b = tile((8, 8), address=(0, 32))\n"
         "nisa.tensor_copy(dst=b, src=a)"),
    ),
    Case(
        15,
        "nisa.tensor_copy(dst=tile((8, 8)), src=x[0:8, 0:8])",
        "nisa.tensor_copy(dst=tile((8, 8)), src=tile((8, 8)))",
    ),
    # ---- Tensor Engine
    Case(
        16,
        ("p = product((64, 8))\n"
         "q = psum((8, 8))\n"
         "nisa.nc_matmul(dst=q, stationary=p, moving=tile((64, 8)))"),
        ("p = tile((64, 8))\n"
         "q = psum((8, 8))\n"
         "nisa.nc_matmul(dst=q, stationary=p, moving=tile((64, 8)))"),
    ),
    Case(
        16,
        "nisa.nc_matmul(dst=tile((8, 8)), stationary=tile((64, 8)), moving=tile((64, 8)))",
        "nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8)), moving=tile((64, 8)))",
    ),
    Case(
        17,
        "nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8)), moving=tile((32, 8)))",
        "nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8))[0:32, :], moving=tile((32, 8)))",
    ),
    Case(
        18,
        "nisa.nc_matmul(dst=psum((128, 8)), stationary=tile((64, 129)), moving=tile((64, 8)))",
        "nisa.nc_matmul(dst=psum((128, 8)), stationary=tile((64, 128)), moving=tile((64, 8)))",
    ),
    Case(
        19,
        "nisa.nc_matmul(dst=psum((8, 513)), stationary=tile((64, 8)), moving=tile((64, 513)))",
        "nisa.nc_matmul(dst=psum((8, 512)), stationary=tile((64, 8)), moving=tile((64, 512)))",
    ),
    Case(
        19,
        "nisa.nc_matmul(dst=psum((8, 513)), stationary=tile((64, 8)), moving=tile((64, 513)))",
        "nisa.nc_matmul(dst=psum((8, 513)), stationary=tile((64, 8)), moving=tile((64, 513)))",
        "trn2", "trn3",
    ),
    Case(
        20,
        "nisa.nc_matmul(dst=psum((8, 768))[:, 256:768], stationary=tile((64, 8)), moving=tile((64, 512)))",
        "nisa.nc_matmul(dst=psum((8, 1024))[:, 512:1024], stationary=tile((64, 8)), moving=tile((64, 512)))",
    ),
    Case(
        20,
        "nisa.nc_matmul(dst=psum((8, 2, 512))[:, :, 0:1], stationary=tile((64, 8)), moving=tile((64, 2)))",
        "nisa.nc_matmul(dst=psum((8, 2, 256))[:, :, 0:1], stationary=tile((64, 8)), moving=tile((64, 2)))",
    ),
    Case(
        21,
        "nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8), dtype=nl.int8), moving=tile((64, 8)))",
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8), dtype=nl.tfloat32), moving=tile((64, "
         "8)))"),
    ),
    Case(
        22,
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8), dtype=nl.bfloat16), moving=tile((64, "
         "8)))"),
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8), dtype=nl.bfloat16), moving=tile((64, "
         "8), dtype=nl.float8_e4m3))"),
    ),
    Case(
        22,
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8), dtype=nl.float8_e4m3fn), "
         "moving=tile((64, 8), dtype=nl.float8_e4m3))"),
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8), dtype=nl.float8_e4m3fn), "
         "moving=tile((64, 8), dtype=nl.float8_e5m2))"),
        "trn3",
    ),
    Case(23, "product((8, 8), dtype=nl.bfloat16)", "product((8, 8), dtype=nl.bfloat16)", "trn2", "trn3"),
    Case(
        24,
        ("p = psum((8, 8))\n"
         "nisa.memset(dst=p, value=0.0)\n"
         "nisa.nc_matmul(dst=p, stationary=tile((64, 8)), moving=tile((64, 8)), accumulate=True)"),
        ("p = product((8, 8))\n"
         "nisa.nc_matmul(dst=p, stationary=tile((64, 8)), moving=tile((64, 8)), accumulate=True)"),
    ),
    Case(
        24,
        ("p = psum((8, 8))\n"
         "nisa.nc_matmul(dst=p, stationary=tile((64, 8)), moving=tile((64, 8)), accumulate=True)"),
        ("p = psum((8, 8))\n"
         "nisa.nc_matmul(dst=p, stationary=tile((64, 8)), moving=tile((64, 8)), accumulate=None)"),
    ),
    Case(
        24,
        ("p = product((8, 8))\n"
         "nisa.tensor_scalar(dst=p, data=p, op0=nl.multiply, operand0=2.0)\n"
         "nisa.nc_matmul(dst=p, stationary=tile((64, 8)), moving=tile((64, 8)))"),
        ("p = product((8, 8))\n"
         "nisa.tensor_scalar(dst=p, data=p, op0=nl.multiply, operand0=2.0)\n"
         "nisa.nc_matmul(dst=p, stationary=tile((64, 8)), moving=tile((64, 8)), accumulate=False)"),
    ),
    Case(
        25,
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 2, 8), dtype=nl.bfloat16), moving=tile((64, "
         "2, 8), dtype=nl.float8_e4m3), perf_mode=nisa.matmul_perf_mode.double_row)"),
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 2, 8), dtype=nl.float8_e5m2), "
         "moving=tile((64, 2, 8), dtype=nl.float8_e4m3), perf_mode=nisa.matmul_perf_mode.double_row)"),
    ),
    Case(
        25,
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 2, 8), dtype=nl.float8_e5m2), "
         "moving=tile((64, 2, 8), dtype=nl.float8_e4m3), perf_mode=nisa.matmul_perf_mode.double_row)"),
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 2, 8), dtype=nl.float8_e5m2), "
         "moving=tile((64, 2, 8), dtype=nl.float8_e4m3), perf_mode=nisa.matmul_perf_mode.double_row)"),
        "trn1", "trn2",
    ),
    Case(
        26,
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8)), moving=tile((64, 8)), "
         "tile_position=(32, 0), tile_size=(64, 128))"),
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((64, 8)), moving=tile((64, 8)), "
         "tile_position=(64, 0), tile_size=(64, 128))"),
    ),
    Case(
        26,
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((32, 8)), moving=tile((32, 8)), "
         "tile_position=(32, 0), tile_size=(32, 128))"),
        ("nisa.nc_matmul(dst=psum((8, 8)), stationary=tile((32, 8)), moving=tile((32, 8)), "
         "tile_position=(32, 0), tile_size=(32, 128))"),
        "trn1", "trn2",
    ),
    Case(
        27,
        "nisa.nc_transpose(dst=psum((64, 64)), data=tile((64, 64), dtype=nl.bfloat16))",
        "nisa.nc_transpose(dst=psum((64, 64), nl.bfloat16), data=tile((64, 64), dtype=nl.bfloat16))",
    ),
    Case(
        28,
        "nisa.nc_transpose(dst=tile((64, 64)), data=tile((64, 64)))",
        "nisa.nc_transpose(dst=tile((32, 32)), data=tile((32, 32)))",
    ),
    Case(
        28,
        "nisa.nc_transpose(dst=psum((64, 64)), data=tile((64, 64)), engine=nisa.engine.vector)",
        "nisa.nc_transpose(dst=psum((64, 64)), data=tile((64, 64)), engine=nisa.engine.tensor)",
    ),
    Case(
        28,
        "nisa.nc_transpose(dst=psum((128, 8)), data=tile((8, 129)))",
        "nisa.nc_transpose(dst=psum((128, 8)), data=tile((8, 128)))",
    ),
    Case(
        29,
        "nisa.dma_transpose(dst=tile((64, 32)), src=tile((32, 64)))",
        "nisa.dma_transpose(dst=tile((64, 32), dtype=nl.bfloat16), src=tile((32, 64), dtype=nl.bfloat16))",
    ),
    Case(
        29,
        ("nisa.dma_transpose(dst=tile((128, 32), dtype=nl.bfloat16), src=tile((32, 1, 128), "
         "dtype=nl.bfloat16))"),
        ("nisa.dma_transpose(dst=tile((128, 1, 32), dtype=nl.bfloat16), src=tile((32, 1, 128), "
         "dtype=nl.bfloat16))"),
    ),
    # ---- Vector, Scalar and GpSimd Engine
    Case(
        30,
        "nisa.tensor_tensor(dst=tile((8, 8)), data1=product((8, 8)), data2=product((8, 8)), op=nl.add)",
        "nisa.tensor_tensor(dst=tile((8, 8)), data1=tile((8, 8)), data2=product((8, 8)), op=nl.add)",
    ),
    Case(
        30,
        ("nisa.scalar_tensor_tensor(dst=tile((8, 8)), data=product((8, 8)), op0=nl.add, operand0=1.0, "
         "op1=nl.add, operand1=product((8, 8)))"),
        ("nisa.scalar_tensor_tensor(dst=tile((8, 8)), data=product((8, 8)), op0=nl.add, operand0=1.0, "
         "op1=nl.add, operand1=tile((8, 8)))"),
    ),
    Case(
        31,
        "nisa.tensor_tensor(dst=tile((8, 8)), data1=tile((8, 8)), data2=tile((8, 8)), op=nl.bitwise_and)",
        ("t = tile((8, 8), dtype=nl.int32)\n"
         "nisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.bitwise_and)"),
    ),
    Case(
        31,
        ("t = tile((8, 8), dtype=nl.int32)\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.left_shift, operand0=1, op1=nl.add, operand1=1.0)"),
        ("t = tile((8, 8), dtype=nl.int32)\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.left_shift, operand0=1, op1=nl.bitwise_or, operand1=1)"),
    ),
    Case(
        32,
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=tile((8, 1), dtype=nl.bfloat16))"),
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=tile((8, 1)))"),
    ),
    Case(
        32,
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=tile((8, 2)))"),
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.add, operand0=tile((8, 2))[:, 1:2])"),
    ),
    Case(
        32,
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, bias=tile((1, 8)))"),
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, bias=tile((8, 1)))"),
    ),
    Case(
        33,
        "nisa.tensor_copy(dst=tile((8, 8)), src=tile((8, 8)), engine=nisa.engine.scalar)",
        "nisa.tensor_copy(dst=tile((8, 8)), src=tile((8, 8)), engine=nisa.engine.scalar)",
        "trn1", "trn2",
    ),
    Case(
        33,
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.maximum, operand0=0.0, engine=nisa.engine.scalar)"),
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0, op1=nl.add, operand1=1.0, "
         "engine=nisa.engine.scalar)"),
    ),
    Case(
        33,
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.maximum, operand0=0.0, engine=nisa.engine.scalar)"),
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.maximum, operand0=0.0, engine=nisa.engine.scalar)"),
        "trn2", "trn3",
    ),
    Case(
        33,
        "nisa.tensor_copy(dst=tile((8, 8)), src=product((8, 8)), engine=nisa.engine.gpsimd)",
        "nisa.tensor_copy(dst=tile((8, 8)), src=tile((8, 8)), engine=nisa.engine.gpsimd)",
    ),
    Case(
        34,
        "nisa.tensor_reduce(dst=tile((8, 4)), op=nl.add, data=tile((8, 2, 4)), axis=1)",
        "nisa.tensor_reduce(dst=tile((8, 2)), op=nl.add, data=tile((8, 2, 4)), axis=2)",
    ),
    Case(
        34,
        "nisa.tensor_reduce(dst=tile((1, 8)), op=nl.add, data=tile((8, 8)), axis=0)",
        "nisa.tensor_reduce(dst=tile((8, 1)), op=nl.add, data=tile((8, 2, 4)), axis=(1, 2))",
    ),
    Case(
        35,
        "nisa.tensor_reduce(dst=tile((8, 1)), op=nl.power, data=tile((8, 8)), axis=1)",
        "nisa.tensor_reduce(dst=tile((8, 1)), op=nl.maximum, data=tile((8, 8)), axis=1, negate=True)",
    ),
    Case(
        35,
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar_reduce(dst=t, data=t, op0=nl.add, operand0=1.0, reduce_op=nl.subtract, "
         "reduce_res=tile((8, 1)))"),
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar_reduce(dst=t, data=t, op0=nl.add, operand0=1.0, reduce_op=nl.maximum, "
         "reduce_res=tile((8, 1)))"),
    ),
    Case(
        36,
        ("t = tile((8, 8))\n"
         "nisa.tensor_copy_predicated(dst=t, src=tile((8, 8)), predicate=tile((8, 8), dtype=nl.int8))"),
        ("t = tile((8, 8))\n"
         "nisa.tensor_copy_predicated(dst=t, src=tile((8, 8)), predicate=tile((8, 8), dtype=nl.uint8))"),
    ),
    Case(
        36,
        ("t = tile((8, 8))\n"
         "nisa.tensor_copy_predicated(dst=t, src=tile((8, 8), dtype=nl.bfloat16), predicate=tile((8, 8), "
         "dtype=nl.uint8))"),
        ("t = tile((8, 8), dtype=nl.bfloat16)\n"
         "nisa.tensor_copy_predicated(dst=t, src=tile((8, 8), dtype=nl.bfloat16), predicate=tile((8, 8), "
         "dtype=nl.uint32))"),
    ),
    Case(
        37,
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, bias=1.0)"),
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, bias=1.0)"),
        "trn1", "trn2",
    ),
    Case(
        38,
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=tile((8, 1)), "
         "reduce_cmd=nisa.reduce_cmd.reduce)"),
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=tile((8, 1)), "
         "reduce_cmd=nisa.reduce_cmd.reset_reduce)"),
    ),
    Case(
        38,
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, reduce_op=nl.maximum, reduce_res=tile((8, 1)), "
         "reduce_cmd=nisa.reduce_cmd.reset_reduce)"),
        ("t = tile((8, 8))\n"
         "nisa.activation_reduce(dst=t, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=tile((8, 1)))"),
    ),
    Case(
        38,
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=tile((8, 1)), reduce_cmd=3)"),
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, reduce_cmd=nisa.reduce_cmd.reset)"),
    ),
    Case(
        38,
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=tile((8, 2)), "
         "reduce_cmd=nisa.reduce_cmd.reset_reduce)"),
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t, reduce_op=nl.add, reduce_res=tile((8, 2))[:, 0:1], "
         "reduce_cmd=nisa.reduce_cmd.reset_reduce)"),
    ),
    Case(
        39,
        ("t = tile((8, 8), value=0.0)\n"
         "nisa.activation(dst=t, op=nl.log, data=t)"),
        ("t = tile((8, 8), value=2.0**-64)\n"
         "nisa.activation(dst=t, op=nl.log, data=t)"),
    ),
    Case(
        39,
        ("t = tile((8, 8), value=2.0**-117)\n"
         "nisa.activation(dst=t, op=nl.sqrt, data=t)"),
        ("t = tile((8, 8), value=2.0**-116)\n"
         "nisa.activation(dst=t, op=nl.sqrt, data=t)"),
    ),
    Case(
        39,
        ("t = tile((8, 8), value=2.0**-88)\n"
         "nisa.activation(dst=t, op=nl.rsqrt, data=t)"),
        ("t = tile((8, 8), value=2.0**-87)\n"
         "nisa.activation(dst=t, op=nl.rsqrt, data=t)"),
    ),
    Case(
        39,
        ("t = tile((8, 8), value=-2.0**43)\n"
         "nisa.activation(dst=t, op=nl.reciprocal, data=t)"),
        ("t = tile((8, 8), value=-2.0**42)\n"
         "nisa.activation(dst=t, op=nl.reciprocal, data=t)"),
    ),
    Case(
        39,
        ("t = tile((8, 8), value=3.15)\n"
         "nisa.activation(dst=t, op=nl.sin, data=t)"),
        ("t = tile((8, 8), value=3.14)\n"
         "nisa.activation(dst=t, op=nl.sin, data=t)"),
    ),
    Case(
        39,
        ("t = tile((8, 8), value=1.58)\n"
         "nisa.activation(dst=t, op=nl.arctan, data=t)"),
        ("t = tile((8, 8), value=1.57)\n"
         "nisa.activation(dst=t, op=nl.arctan, data=t)"),
    ),
    Case(
        40,
        ("t = tile((8, 8))\n"
         "nisa.tensor_tensor(dst=t, data1=t, data2=t, op=nl.exp)"),
        ("t = tile((8, 8))\n"
         "nisa.activation(dst=t, op=nl.exp, data=t)"),
    ),
    Case(
        40,
        ("t = tile((8, 8))\n"
         "nisa.affine_select(dst=t, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=t, "
         "on_false_value=0.0, cmp_op=nl.add)"),
        ("t = tile((8, 8))\n"
         "nisa.affine_select(dst=t, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=t, "
         "on_false_value=0.0, cmp_op=nl.less)"),
    ),
    Case(
        41,
        ("t = nl.ndarray((8, 8), dtype=nl.int32, buffer=nl.sbuf)\n"
         "nisa.memset(dst=t, value=1.0)"),
        ("t = nl.ndarray((8, 8), dtype=nl.int32, buffer=nl.sbuf)\n"
         "nisa.memset(dst=t, value=1)"),
    ),
    Case(41, "tile((8, 8), value=float('inf'))", "tile((8, 8), value=3.0e38)"),
    Case(42, "tile((8, 8), dtype=nl.float8_e4m3fn)", "tile((8, 8), dtype=nl.float8_e4m3fn)", "trn2", "trn3"),
    Case(42, "tile((8, 8), dtype='float64')", "tile((8, 8), dtype=nl.float16)"),
    Case(
        43,
        "nisa.dma_copy(dst=tile((8, 8), dtype=nl.bfloat16), src=x[0:8, 0:8], dge_mode=nisa.dge_mode.hwdge)",
        "nisa.dma_copy(dst=tile((8, 8)), src=x[0:8, 0:8], dge_mode=nisa.dge_mode.hwdge)",
    ),
    Case(
        43,
        "nisa.dma_copy(dst=tile((8, 8)), src=x[0:8, 0:8], dge_mode=nisa.dge_mode.hwdge)",
        "nisa.dma_copy(dst=tile((8, 8), dtype=nl.bfloat16), src=x[0:8, 0:8])",
        "trn1",
    ),
    Case(
        43,
        "nisa.dma_copy(dst=tile((8, 8)), src=x[0:8, 0:8], priority=0)",
        "nisa.dma_copy(dst=tile((8, 8)), src=x[0:8, 0:8], priority=0)",
        "trn2", "trn3",
    ),
    Case(
        44,
        "nisa.iota(dst=tile((8, 8), dtype=nl.int32), pattern=[[1, 7]])",
        "nisa.iota(dst=tile((8, 8), dtype=nl.int32), pattern=[[4, 2], [1, 4]])",
    ),
    Case(
        44,
        "nisa.iota(dst=tile((8, 8), dtype=nl.int32), pattern=[[1, 1]] * 4 + [[1, 8]])",
        "nisa.iota(dst=tile((8, 8), dtype=nl.int32), pattern=[[1, 1]] * 3 + [[1, 8]])",
    ),
    Case(
        44,
        ("t = tile((8, 8))\n"
         "nisa.affine_select(dst=t, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=product((8, 8)), "
         "on_false_value=0.0)"),
        ("t = tile((8, 8))\n"
         "nisa.affine_select(dst=t, pattern=[[1, 8]], channel_multiplier=1, on_true_tile=t, "
         "on_false_value=0.0)"),
    ),
    Case(
        45,
        ("t = tile((8, 8))\n"
         "nisa.exponential(dst=t, src=t)"),
        ("t = tile((8, 8))\n"
         "nisa.exponential(dst=t, src=t)"),
        "trn2", "trn3",
    ),
    Case(
        45,
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.square, operand0=0)"),
        ("t = tile((8, 8))\n"
         "nisa.tensor_scalar(dst=t, data=t, op0=nl.square, operand0=0)"),
        "trn2", "trn3",
    ),
    Case(
        45,
        ("t = tile((8, 8))\n"
         "nisa.divide(dst=t, data1=t, data2=t)"),
        ("t = tile((8, 8))\n"
         "nisa.reciprocal(dst=t, data=t)"),
    ),
    # ---- text
    Case(
        46,
        "nisa.memset(dst=tile((8, 8)), value=0.0, mask=None)",
        "nisa.memset(dst=tile((8, 8)), value=0.0, name='clear')",
    ),
    Case(46, "nisa.tensor_copy(tile((8, 8)))", "nisa.tensor_copy(tile((8, 8)), tile((8, 8)))"),
    Case(
        46,
        ("t = tile((8, 8))\n"
         "t[0:8, 0:8] = 1.0"),
        ("t = tile((8, 8))\n"
         "nisa.memset(dst=t[0:8, 0:8], value=1.0)"),
    ),
    Case(47, "import numpy", "import nki.language"),
]  # fmt: skip


class EveryRule(SimTest):
    def test_what_breaks_a_rule_is_refused_by_it_and_a_near_miss_runs(self):
        for case in CASES:
            with self.subTest(rule=case.rule, illegal=case.illegal, target=case.target):
                self.refuses(case.rule, case.illegal, case.target)
                self.accepts(case.legal, case.legal_target or case.target)

    def test_each_rule_has_a_case(self):
        # Rule 14 is about what a kernel returns: OutputsTest in kernels_test.py.
        self.assertEqual({case.rule for case in CASES} | {14}, set(nki_sim.RULES))

    def test_a_refusal_names_the_instruction_what_was_found_and_the_rule(self):
        self.assertEqual(
            self.refuses(2, "t = tile((128, 8))\nnisa.memset(dst=t[16:56, :], value=0.0)"),
            "memset: 40 partitions from 16 on (rule 2: the start partition is 0 for more than 64 partitions, 0 or 64 for "
            "more than 32, else a multiple of 32)",
        )
        self.assertEqual(
            self.refuses(9, "a = tile((8, 30000))\nb = tile((8, 30000))\nnisa.tensor_copy(dst=a, src=b)"),
            "sbuf: 240000 bytes a partition live, limit 212984; largest: tile0 (120000 bytes x 8), "
            "tile1 (120000 bytes x 8) (rule 9: the live tiles fit into SBUF)",
        )


if __name__ == "__main__":
    unittest.main()
