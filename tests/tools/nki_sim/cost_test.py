"""What instructions cost, and that every constant has a source or says that it has none."""

import inspect
import re
import unittest

import numpy as np
from harness import ROOT, X, SimTest, kernel, nki_sim, probe
from nki_sim import cost
from nki_sim.machine import Machine
from nki_sim.modules import isa

DOCUMENT = (ROOT / "docs" / "neuron.md").read_text(encoding="utf-8")


class Cost(SimTest):
    def cycles(self, body, name, target="trn2"):
        """Of the last instruction of that name."""
        result = nki_sim.run(probe(body), [X], target)
        executed = [one for one in result.log if one.name == name][-1]
        return round(executed.ns * nki_sim.TARGETS[target].clock_ghz[executed.engine], 6)

    def test_a_matmul_costs_its_moving_columns(self):
        body = (
            "nisa.nc_matmul(dst=psum((128, {n})), stationary=tile((128, 128), nl.{t}), moving=tile((128, {n}), nl.{t}))"
        )
        self.assertEqual(self.cycles(body.format(n=512, t="bfloat16"), "nc_matmul"), 512)
        self.assertEqual(self.cycles(body.format(n=512, t="float32"), "nc_matmul"), 2048)
        self.assertEqual(self.cycles(body.format(n=8, t="bfloat16"), "nc_matmul"), 64)

    def test_vector_instructions_cost_their_elements(self):
        self.assertEqual(
            self.cycles(
                "a = tile((128, 512))\n"
                "b = tile((128, 512))\n"
                "nisa.tensor_scalar(dst=tile((128, 512)), data=a, op0=nl.add, operand0=1.0)",
                "tensor_scalar",
            ),
            612,
        )
        self.assertEqual(
            self.cycles(
                "a = tile((128, 512))\n"
                "b = tile((128, 512))\n"
                "c = tile((128, 512))\n"
                "nisa.tensor_tensor(dst=c, data1=b, data2=b, op=nl.add)",
                "tensor_tensor",
            ),
            1024,
        )
        bf16 = "a = tile((128, 512), nl.bfloat16)\nb = tile((128, 512), nl.bfloat16)\n"
        scaled = bf16 + "nisa.tensor_scalar(dst=a, data=b, op0=nl.add, operand0=1.0)"
        self.assertEqual(self.cycles(scaled, "tensor_scalar"), 128)
        self.assertEqual(self.cycles(scaled, "tensor_scalar", "trn1"), 512)
        self.assertEqual(
            self.cycles(
                bf16 + "nisa.tensor_scalar(dst=a[:, 0:512:2], data=b[:, 0:512:2], op0=nl.add, operand0=1.0)",
                "tensor_scalar",
            ),
            128,
        )
        self.assertEqual(
            self.cycles(bf16 + "nisa.tensor_tensor(dst=a, data1=b, data2=b, op=nl.add)", "tensor_tensor"), 512
        )

    def test_short_and_dependent_instructions_wait(self):
        self.assertEqual(
            self.cycles("a = tile((128, 64))\nnisa.activation(dst=tile((128, 64)), op=nl.exp, data=a)", "activation"),
            164,
        )
        twice = (
            "a = tile((128, 512))\n"
            "b = tile((128, 512))\n"
            "nisa.activation(dst=b, op=nl.exp, data=a)\n"
            "nisa.activation(dst=b, op=nl.exp, data={})"
        )
        self.assertEqual(self.cycles(twice.format("a"), "activation"), 512)
        self.assertEqual(self.cycles(twice.format("b"), "activation"), 612)

    def test_reading_sums_out_costs_extra(self):
        body = (
            "a = tile((128, 512))\n"
            "nisa.activation_reduce(dst=tile((128, 512)), op=nl.exp, data=a, reduce_op=nl.add, reduce_res=tile((128, 1)))"
        )
        self.assertEqual(self.cycles(body, "activation"), 576)

    def test_dma_goes_by_bytes_and_by_the_length_of_runs(self):
        def ns(columns, target="trn2"):
            body = f"nisa.dma_copy(dst=tile((128, {columns})), src=x[0:128, 0:{columns}])"
            return [one for one in nki_sim.run(probe(body), [X], target).log if one.name == "dma_copy"][0].ns

        self.assertAlmostEqual(ns(512), 128 * 512 * 4 / 362.5 * (2048 + 256) / 2048, places=3)
        self.assertAlmostEqual(ns(64), 128 * 64 * 4 / 362.5 * 2, places=3)
        self.assertAlmostEqual(ns(512, "trn1"), 128 * 512 * 4 / 272 * (2048 + 256) / 2048, places=3)

    def test_work_goes_to_the_engine_that_is_less_busy(self):
        body = "p = product((128, 512))\nfor i in range(4):\n    nisa.tensor_copy(dst=tile((128, 512)), src=p)"
        result = nki_sim.run(probe(body), [X])
        engines = [one.engine for one in result.log if one.name == "tensor_copy"]
        self.assertEqual(sorted(set(engines)), ["scalar", "vector"])
        self.assertEqual(nki_sim.run(probe(body), [X], "trn1").busy_ns["scalar"], 0.0)

    def test_a_run_for_its_cost_alone_costs_the_same_and_checks_the_same(self):
        body = (
            "a = tile((128, 512))\n"
            "nisa.activation(dst=a, op=nl.exp, data=a)\n"
            "nisa.tensor_reduce(dst=tile((128, 1)), op=nl.add, data=a, axis=1)"
        )
        text = probe(body)
        computed, priced = nki_sim.run(text, [X]), nki_sim.run(text, [X], values=False)
        self.assertEqual(computed.busy_ns, priced.busy_ns)
        with self.assertRaises(nki_sim.Refused):
            nki_sim.run(probe("nisa.tensor_copy(dst=tile((8, 8)), src=psum((8, 8)))"), [X], values=False)


class Documented(unittest.TestCase):
    def test_the_page_lists_every_rule_by_its_number(self):
        listed = dict(re.findall(r"^(\d+)\. (.+)$", DOCUMENT, re.MULTILINE))
        self.assertEqual({str(number): text for number, text in nki_sim.RULES.items()}, listed)

    def test_the_page_lists_every_constant_with_its_source(self):
        for name, constant in nki_sim.CONSTANTS.items():
            amount, source = f"{constant.value:g} {constant.unit}", constant.source or "**none**"
            self.assertIn(f"| `{name}` | {amount} | {constant.meaning} | {source} |", DOCUMENT)

    def test_the_page_lists_every_target(self):
        for target in nki_sim.TARGETS.values():
            clocks = " / ".join(f"{target.clock_ghz[engine]:g}" for engine in ("tensor", "vector", "scalar", "gpsimd"))
            self.assertIn(
                f"| {target.name} | {target.sbuf_bytes} | {clocks} | {target.hbm_gb_s:g} | 16 x {target.dma_gb_s:g} |",
                DOCUMENT,
            )

    def test_calls_have_the_documented_parameters(self):
        documented = {
            "dma_copy": "dst, src, priority=None, oob_mode=error, dge_mode=unknown, engine=unknown, name=None",
            "dma_transpose": "dst, src, axes=None, priority=None, dge_mode=unknown, oob_mode=error, name=None",
            "tensor_copy": "dst, src, engine=unknown, name=None",
            "memset": "dst, value, engine=unknown, name=None",
            "tensor_tensor": "dst, data1, data2, op, engine=unknown, name=None",
            "tensor_scalar": (
                "dst, data, op0, operand0, reverse0=False, op1=None, operand1=None, "
                "reverse1=False, engine=unknown, name=None"
            ),
            "scalar_tensor_tensor": (
                "dst, data, op0, operand0, op1, operand1, reverse0=False, "
                "reverse1=False, name=None"
            ),
            "activation": (
                "dst, op, data, bias=None, scale=1.0, reduce_op=None, reduce_res=None, "
                "reduce_cmd=idle, name=None"
            ),
            "activation_reduce": "dst, op, data, reduce_op, reduce_res, bias=None, scale=1.0, name=None",
            "tensor_reduce": "dst, op, data, axis, negate=False, keepdims=False, name=None",
            "tensor_scalar_reduce": (
                "dst, data, op0, operand0, reduce_op, reduce_res=None, "
                "reverse0=False, reduce_cmd=reset_reduce, reduce_init=None, name=None"
            ),
            "reciprocal": "dst, data, name=None",
            "nc_matmul": (
                "dst, stationary, moving, is_stationary_onezero=False, "
                "is_moving_onezero=False, is_transpose=False, accumulate=None, "
                "tile_position=(), tile_size=(), perf_mode=none, name=None"
            ),
            "nc_transpose": "dst, data, engine=unknown, name=None",
            "iota": "dst, pattern, offset=0, channel_multiplier=0, name=None",
            "affine_select": (
                "dst, pattern, channel_multiplier, on_true_tile, on_false_value, "
                "cmp_op=equal, offset=0, name=None"
            ),
            "tensor_copy_predicated": "dst, src, predicate, reverse_pred=False, name=None",
            "exponential": "dst, src, max_value=0.0, reduce_res=None, reduce_cmd=idle, reduce_init=0.0, name=None",
        }  # fmt: skip
        held = isa(Machine(nki_sim.TARGETS["trn2"]))
        for name, parameters in documented.items():
            found = []
            for parameter in inspect.signature(getattr(held, name)).parameters.values():
                default = parameter.default
                text = default.name if hasattr(default, "name") else repr(default)
                found.append(parameter.name if default is inspect.Parameter.empty else f"{parameter.name}={text}")
            self.assertEqual(", ".join(found), parameters, name)
        functions = {name for name, value in vars(held).items() if inspect.ismethod(value)}
        self.assertEqual(functions, set(documented))


if __name__ == "__main__":
    unittest.main()
