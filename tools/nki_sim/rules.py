"""The rules of hardware and compiler, numbered as in docs/neuron.md, and the refusal that names one of them."""

RULES: dict[int, str] = {
    # Shapes and access
    1: "a tensor on chip has 1 to 128 partitions",
    2: "the start partition is 0 for more than 64 partitions, 0 or 64 for more than 32, else a multiple of 32",
    3: "an access has at most 5 dimensions, contiguous partitions, counts below 65536 and strides below 32768",
    4: "an instruction takes at most 65536 elements a partition from SBUF and 4096 from PSUM",
    5: "operands agree in partitions and in elements a partition",
    6: "an index lies inside of its tensor",
    7: "views keep the partition dimension of tensors on chip",
    # Memory
    8: "what is read has been written",
    9: "the live tiles fit into SBUF",
    10: "the live tiles fit into the eight banks of PSUM",
    11: "DMA does not reach PSUM",
    12: "the GpSimd Engine does not reach PSUM",
    13: "a fixed address is inside of the memory, aligned, and not shared by live tiles",
    14: "outputs are written tensors in shared_hbm that the kernel returns",
    15: "engines compute on SBUF and PSUM alone",
    # Tensor Engine
    16: "a matmul reads SBUF and writes PSUM",
    17: "the contraction has at most 128 rows, as many in both operands",
    18: "the stationary operand has at most 128 columns",
    19: "the moving operand has at most 512 columns (trn3: 4096 for a float32 result, 8192 for bfloat16)",
    20: "before trn3 a matmul writes inside of one bank of PSUM",
    21: "a matmul takes float8, bfloat16, float16, tfloat32 or float32",
    22: "float32 and tfloat32 mix with themselves alone, float8_e4m3 not with float8_e4m3fn",
    23: "a matmul writes float32 (trn3: or bfloat16)",
    24: "accumulation goes onto what a matmul wrote",
    25: "double_row takes float8 in pairs along the first free dimension, from trn2 on",
    26: "tiles of the array have 64 or 128 rows (from trn2 on also 32) at a multiple of their size",
    27: "a transpose keeps the dtype",
    28: "the Tensor Engine transposes up to 128 x 128 from SBUF to PSUM, the Vector Engine up to 32 x 32",
    29: "dma_transpose takes 2-byte elements, at most 128 in the last dimension, to SBUF, with all axes in order",
    # Vector, Scalar and GpSimd Engine
    30: "two tiles of one instruction are not both in PSUM",
    31: "bitwise operators take integers and do not mix with arithmetic ones",
    32: "a scalar operand is a number or a float32 tile (P, 1)",
    33: "an instruction runs on an engine that has it",
    34: "a reduction runs over the last free dimensions, never over partitions",
    35: "a reduction operator is one that the instruction has",
    36: "predicates are unsigned integers, and what is copied under them keeps its dtype",
    37: "before trn2 the bias of an activation is a tile (P, 1)",
    38: "sums of an activation go to a tile (P, 1), by a named reduce_cmd that resets first",
    39: "the argument of an activation is inside of its range",
    40: "an operator token is one that the instruction has",
    41: "the value of a memset has the type of its tile",
    42: "a dtype exists on the target",
    43: "hardware DMA descriptors exist from trn2 on and do not cast; priorities exist from trn3 on",
    44: "an affine pattern has at most four [step, count] pairs that cover the tile, in SBUF",
    45: "an instruction exists on the target",
    # Text
    46: "a call has the documented parameters",
    47: "a kernel imports nki alone and runs on one core",
}


class Refused(Exception):
    """What the hardware, or the compiler before it, does not accept. `rule` is the number in RULES."""

    def __init__(self, rule: int, subject: str, found: str) -> None:
        super().__init__(f"{subject}: {found} (rule {rule}: {RULES[rule]})")
        self.rule = rule


def require(condition: bool, rule: int, subject: str, found: str) -> None:
    """Refuses by `rule` unless `condition` holds."""
    if not condition:
        raise Refused(rule, subject, found)
