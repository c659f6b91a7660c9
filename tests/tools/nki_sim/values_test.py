"""What instructions compute: rounding, casts, activations, sums, patterns, views."""

import math
import unittest

import numpy as np
from harness import X, SimTest, nki_sim
from nki_sim import Array
from nki_sim.dtypes import DTYPES, decode, encode

BF16_LOW_BITS = np.uint32(0xFFFF)


def cast(values, dtype):
    return decode(encode(np.asarray(values, dtype=np.float32), DTYPES[dtype]), DTYPES[dtype]).tolist()


class Rounding(SimTest):
    def test_bfloat16_is_nearest_even_in_the_upper_half(self):
        one_ulp = 2.0**-7
        self.assertEqual(cast([1 + one_ulp / 2, 1 + 3 * one_ulp / 2, 1.004], "bfloat16"), [1.0, 1.015625, 1.0078125])
        self.assertEqual(cast([3.4e38, -0.0], "bfloat16"), [math.inf, -0.0])
        self.assertTrue(math.isnan(cast([math.nan], "bfloat16")[0]))

    def test_bfloat16_results_have_no_low_bits_and_unrounded_ones_do(self):
        values = np.random.default_rng(1).standard_normal(1000).astype(np.float32)
        rounded = decode(encode(values, DTYPES["bfloat16"]), DTYPES["bfloat16"])
        self.assertFalse((rounded.view(np.uint32) & BF16_LOW_BITS).any())
        self.assertTrue((values.view(np.uint32) & BF16_LOW_BITS).any())

    def test_tfloat32_keeps_ten_bits(self):
        self.assertEqual(
            cast([1 + 2.0**-10, 1 + 2.0**-11, 1 + 3 * 2.0**-11], "tfloat32"), [1 + 2.0**-10, 1.0, 1 + 2.0**-9]
        )

    def test_float8_rounds_to_even_and_saturates(self):
        self.assertEqual(
            cast([1.0625, 1.1875, 239, 300, -1e9, 2.0**-10, 3 * 2.0**-10], "float8_e4m3"),
            [1.0, 1.25, 240, 240, -240, 0.0, 2.0**-8],
        )
        self.assertEqual(cast([447, 1000, -500], "float8_e4m3fn"), [448, 448, -448])
        self.assertEqual(cast([1.125, 1.375, 1e6], "float8_e5m2"), [1.0, 1.5, 57344])

    def test_every_float8_value_survives_a_round_trip(self):
        for name in ("float8_e4m3", "float8_e4m3fn", "float8_e5m2"):
            codes = np.arange(256, dtype=np.uint8)
            values = decode(codes, DTYPES[name])
            finite = np.isfinite(values)
            np.testing.assert_array_equal(encode(values, DTYPES[name])[finite], codes[finite])

    def test_integers_round_to_even_and_saturate(self):
        self.assertEqual(
            cast([0.5, 1.5, 2.5, -0.5, 127.5, 1e9, -1e9, math.nan, math.inf], "int8"),
            [0, 2, 2, 0, 127, 127, -128, 0, 127],
        )
        self.assertEqual(cast([-1, 3e9, 5e9], "uint32"), [0, 3000000000, 4294967295])

    def test_a_dma_casts_through_float32(self):
        out = self.computes(
            "out = nl.ndarray((1, 2), dtype=nl.int32, buffer=nl.shared_hbm)\n"
            "t = nl.ndarray((1, 2), dtype=nl.float32, buffer=nl.sbuf)\n"
            "nisa.dma_copy(dst=t, src=x)\nnisa.dma_copy(dst=out, src=t)",
            np.array([[2**24 + 1, 7]], dtype=np.int32),
        )
        self.assertEqual(out.tolist(), [[2**24, 7]])


class Engines(SimTest):
    def test_int32_additions_are_exact_on_gpsimd_and_float32_on_vector(self):
        body = (
            "out = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.shared_hbm)\n"
            "t = nl.ndarray((1, 1), dtype=nl.int32, buffer=nl.sbuf)\n"
            "nisa.dma_copy(dst=t, src=x)\n"
            "nisa.tensor_tensor(dst=t, data1=t, data2=tile((1, 1), dtype=nl.int32), op=nl.add{})\n"
            "nisa.dma_copy(dst=out, src=t)"
        )
        x = np.array([[2**24]], dtype=np.int32)
        self.assertEqual(self.computes(body.format(""), x).tolist(), [[2**24 + 1]])
        self.assertEqual(self.computes(body.format(", engine=nisa.engine.vector"), x).tolist(), [[2**24]])

    def test_activations(self):
        x = np.linspace(0.1, 1.5, 64, dtype=np.float32).reshape(8, 8)
        erf = np.vectorize(math.erf)
        expected = {
            "exp": np.exp(x), "sqrt": np.sqrt(x), "rsqrt": 1 / np.sqrt(x), "tanh": np.tanh(x),
            "sigmoid": 1 / (1 + np.exp(-x)), "silu": x / (1 + np.exp(-x)),
            "gelu": x * 0.5 * (1 + erf(x / math.sqrt(2))),
            "relu": x, "abs": x, "reciprocal": 1 / x, "log": np.log(x), "square": x * x, "erf": erf(x),
            "sign": np.ones_like(x),
            "sin": np.sin(x), "arctan": np.arctan(x), "softplus": np.log1p(np.exp(x)), "copy": x,
        }  # fmt: skip
        for name, values in expected.items():
            body = (
                "out = nl.ndarray((8, 8), dtype=nl.float32, buffer=nl.shared_hbm)\nt = tile((8, 8))\n"
                f"nisa.dma_copy(dst=t, src=x)\nnisa.activation(dst=t, op=nl.{name}, data=t)\n"
                "nisa.dma_copy(dst=out, src=t)"
            )
            np.testing.assert_allclose(self.computes(body, x), values, rtol=2e-6, atol=1e-7, err_msg=name)

    def test_an_activation_scales_adds_and_sums_over_two_instructions(self):
        body = """
out = nl.ndarray((4, 1), dtype=nl.float32, buffer=nl.shared_hbm)
t = tile((4, 8), value=2.0)
total = tile((4, 1))
nisa.activation(dst=t, op=nl.copy, data=t, scale=3.0, bias=1.0, reduce_op=nl.add,
            reduce_cmd=nisa.reduce_cmd.reset_reduce)
nisa.activation(dst=t, op=nl.copy, data=t, reduce_op=nl.add, reduce_res=total, reduce_cmd=nisa.reduce_cmd.reduce)
nisa.dma_copy(dst=out, src=total)"""
        self.assertEqual(self.computes(body, X).tolist(), [[112.0]] * 4)

    def test_tensor_scalar_reverses_and_fuses(self):
        body = """
out = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.shared_hbm)
t = tile((2, 4), value=4.0)
nisa.tensor_scalar(dst=t, data=t, op0=nl.subtract, operand0=1.0, reverse0=True, op1=nl.multiply,
            operand1=tile((2, 1), value=5.0))
nisa.dma_copy(dst=out, src=t)"""
        self.assertEqual(self.computes(body, X).tolist(), [[-15.0] * 4] * 2)

    def test_scalar_tensor_tensor(self):
        body = """
out = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.shared_hbm)
t = tile((2, 4), value=4.0)
nisa.scalar_tensor_tensor(dst=t, data=t, op0=nl.multiply, operand0=2.0, op1=nl.subtract, operand1=tile((2,
            4), value=3.0), reverse1=True)
nisa.dma_copy(dst=out, src=t)"""
        self.assertEqual(self.computes(body, X).tolist(), [[-5.0] * 4] * 2)

    def test_reductions(self):
        x = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 5
        for op, expected in (("add", x.sum(2)), ("maximum", x.max(2)), ("minimum", x.min(2)), ("multiply", x.prod(2))):
            body = f"""
out = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.shared_hbm)
t = tile((2, 3, 4))
r = tile((2, 3))
nisa.dma_copy(dst=t, src=x)
nisa.tensor_reduce(dst=r, op=nl.{op}, data=t, axis=2, negate=True)
nisa.dma_copy(dst=out, src=r)"""
            np.testing.assert_array_equal(self.computes(body, x), -expected)

    def test_tensor_scalar_reduce(self):
        body = """
out = nl.ndarray((2, 1), dtype=nl.float32, buffer=nl.shared_hbm)
t = tile((2, 4), value=3.0)
r = tile((2, 1))
nisa.tensor_scalar_reduce(dst=t, data=t, op0=nl.add, operand0=1.0, reduce_op=nl.multiply, reduce_res=r)
nisa.dma_copy(dst=out, src=r)"""
        self.assertEqual(self.computes(body, X).tolist(), [[256.0]] * 2)

    def test_iota_and_affine_select(self):
        body = """
out = nl.ndarray((4, 6), dtype=nl.int32, buffer=nl.shared_hbm)
t = tile((4, 6), dtype=nl.int32)
nisa.iota(dst=t, pattern=[[10, 2], [1, 3]], offset=5, channel_multiplier=100)
nisa.dma_copy(dst=out, src=t)"""
        row = np.array([5, 6, 7, 15, 16, 17])
        np.testing.assert_array_equal(self.computes(body, X), np.arange(4)[:, None] * 100 + row)
        body = """
out = nl.ndarray((4, 4), dtype=nl.float32, buffer=nl.shared_hbm)
t = tile((4, 4), value=2.0)
nisa.affine_select(dst=t, pattern=[[-1, 4]], channel_multiplier=1, on_true_tile=t, on_false_value=-9.0,
            cmp_op=nl.greater_equal)
nisa.dma_copy(dst=out, src=t)"""
        np.testing.assert_array_equal(self.computes(body, X), np.where(np.tri(4) == 1, 2.0, -9.0))

    def test_a_predicated_copy_keeps_the_others(self):
        body = """
out = nl.ndarray((1, 4), dtype=nl.float32, buffer=nl.shared_hbm)
p = tile((1, 4), dtype=nl.uint8)
nisa.dma_copy(dst=p, src=x)
t = tile((1, 4), value=2.0)
nisa.tensor_copy_predicated(dst=t, src=tile((1, 4), value=7.0), predicate=p)
nisa.dma_copy(dst=out, src=t)"""
        self.assertEqual(self.computes(body, np.array([[1, 0, 0, 3]], dtype=np.uint8)).tolist(), [[7.0, 2.0, 2.0, 7.0]])

    def test_transposes_are_exact(self):
        x = np.random.default_rng(2).standard_normal((96, 64)).astype(np.float32)
        x[3, 4] = np.inf
        body = """
out = nl.ndarray((64, 96), dtype=nl.bfloat16, buffer=nl.shared_hbm)
t = tile((96, 64), dtype=nl.bfloat16)
nisa.dma_copy(dst=t, src=x)
p = psum((64, 96), nl.bfloat16)
nisa.nc_transpose(dst=p, data=t)
r = tile((64, 96), dtype=nl.bfloat16)
nisa.tensor_copy(dst=r, src=p)
nisa.dma_copy(dst=out, src=r)"""
        given = Array.of(x, "bfloat16")
        np.testing.assert_array_equal(self.computes(body, given), given.values().T)
        body = """
out = nl.ndarray((64, 96), dtype=nl.bfloat16, buffer=nl.shared_hbm)
t = tile((64, 96), dtype=nl.bfloat16)
nisa.dma_transpose(dst=t, src=x, axes=(1, 0))
nisa.dma_copy(dst=out, src=t)"""
        np.testing.assert_array_equal(self.computes(body, given), given.values().T)

    def test_a_matmul_accumulates_where_one_wrote(self):
        body = """
out = nl.ndarray((2, 4), dtype=nl.float32, buffer=nl.shared_hbm)
p = psum((2, 4))
nisa.nc_matmul(dst=p[:, 0:2], stationary=tile((8, 2)), moving=tile((8, 2)))
nisa.nc_matmul(dst=p, stationary=tile((8, 2)), moving=tile((8, 4), value=2.0))
r = tile((2, 4))
nisa.tensor_copy(dst=r, src=p)
nisa.dma_copy(dst=out, src=r)"""
        self.assertEqual(self.computes(body, X).tolist(), [[24.0, 24.0, 16.0, 16.0]] * 2)

    def test_bfloat16_in_psum_rounds_after_each_accumulation(self):
        body = """
out = nl.ndarray((1, 1), dtype=nl.float32, buffer=nl.shared_hbm)
p = psum((1, 1), nl.bfloat16)
for k in range(2):
    nisa.nc_matmul(dst=p, stationary=tile((1, 1)), moving=tile((1, 1), value=1.0 + 2.0**-8 * k), accumulate=k > 0)
r = tile((1, 1))
nisa.tensor_copy(dst=r, src=p)
nisa.dma_copy(dst=out, src=r)"""
        self.assertEqual(self.computes(body, X, target="trn3").tolist(), [[2.0]])

    def test_a_double_row_contracts_over_both_rows(self):
        body = """
out = nl.ndarray((2, 3), dtype=nl.float32, buffer=nl.shared_hbm)
a = tile((4, 2, 2), dtype=nl.float8_e4m3)
b = tile((4, 2, 3), dtype=nl.float8_e4m3)
nisa.dma_copy(dst=a, src=x)
nisa.dma_copy(dst=b, src=y)
p = psum((2, 3))
nisa.nc_matmul(dst=p, stationary=a, moving=b, perf_mode=nisa.matmul_perf_mode.double_row)
r = tile((2, 3))
nisa.tensor_copy(dst=r, src=p)
nisa.dma_copy(dst=out, src=r)"""
        rng = np.random.default_rng(3)
        a, b = rng.integers(-4, 5, (4, 2, 2)).astype(np.float32), rng.integers(-4, 5, (4, 2, 3)).astype(np.float32)
        np.testing.assert_array_equal(self.computes(body, a, b, parameters="x, y"), np.einsum("kpm,kpn->mn", a, b))


class Views(SimTest):
    def through(self, view, x, shape, dtype="float32"):
        body = f"out = nl.ndarray({shape}, dtype=nl.{dtype}, buffer=nl.shared_hbm)\nnisa.dma_copy(dst=out, src={view})"
        return self.computes(body, x)

    def test_views_select_the_elements_that_numpy_does(self):
        x = np.arange(2 * 3 * 8, dtype=np.float32).reshape(2, 3, 8)
        for view, expected in (
            ("x[1]", x[1]),
            ("x[..., 2:6:2]", x[..., 2:6:2]),
            ("x.slice(2, 1, 8, 3)", x[:, :, 1:8:3]),
            ("x.select(1, 2)", x[:, 2]),
            ("x.permute((2, 0, 1))", x.transpose(2, 0, 1)),
            ("x.expand_dim(1).squeeze_dim(1)", x),
            ("x.reshape((6, -1))", x.reshape(6, 8)),
            ("x.reshape_dim(2, (2, -1))", x.reshape(2, 3, 2, 4)),
            ("x.flatten_dims(0, 1)", x.reshape(6, 8)),
            ("x[0:1].broadcast(0, 4)", np.repeat(x[0:1], 4, 0)),
            ("x.ap(pattern=[[8, 3], [2, 4]], offset=24)", x[1, :, ::2]),
        ):
            np.testing.assert_array_equal(self.through(view, x, expected.shape), expected, err_msg=view)

    def test_rearrange_splits_reorders_and_merges(self):
        x = np.arange(2 * 24, dtype=np.float32).reshape(2, 24)
        got = self.through("x.rearrange(('b', ('h', 'w')), ('b', 'w', 'h'), {'h': 4})", x, (2, 6, 4))
        np.testing.assert_array_equal(got, x.reshape(2, 4, 6).transpose(0, 2, 1))
        merged = self.through("x.rearrange(('b', ('h', 'w')), (('b', 'h'), 'w'), {'h': 4})", x, (8, 6))
        np.testing.assert_array_equal(merged, x.reshape(8, 6))

    def test_view_reinterprets_bytes(self):
        x = np.array([[1.0, -2.5]], dtype=np.float32)
        self.assertEqual(self.through("x.view(nl.int32)", x, (1, 2), "int32").tolist(), x.view(np.int32).tolist())
        self.assertEqual(self.through("x.view(nl.uint8)", x, (1, 8), "uint8").tolist(), x.view(np.uint8).tolist())

    def test_rows_are_gathered_by_an_index_a_partition(self):
        body = """
ids = nl.ndarray((3, 1), dtype=nl.int32, buffer=nl.sbuf)
nisa.dma_copy(dst=ids, src=y)
t = nl.ndarray((3, 8), dtype=nl.float32, buffer=nl.sbuf)
nisa.dma_copy(dst=t, src=x.ap(pattern=[[8, 3], [1, 8]], vector_offset=ids))
out = nl.ndarray((3, 8), dtype=nl.float32, buffer=nl.shared_hbm)
nisa.dma_copy(dst=out, src=t)"""
        x, ids = np.arange(80, dtype=np.float32).reshape(10, 8), np.array([[7], [0], [7]], dtype=np.int32)
        np.testing.assert_array_equal(self.computes(body, x, ids, parameters="x, y"), x[ids[:, 0]])

    def test_a_run_time_loop_offsets_by_its_register(self):
        body = """
out = nl.ndarray((4, 8), dtype=nl.float32, buffer=nl.shared_hbm)
def copy(i):
    nisa.dma_copy(dst=out.ap(pattern=[[8, 1], [1, 8]], scalar_offset=i), src=x.ap(pattern=[[8, 1], [1, 8]],
                scalar_offset=i))
nl.fori_loop(0, 4, copy)"""
        x = np.arange(32, dtype=np.float32).reshape(4, 8)
        np.testing.assert_array_equal(self.computes(body, x), x)


if __name__ == "__main__":
    unittest.main()
