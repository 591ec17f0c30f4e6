"""The reciprocal of gnubg's hidden units: the instruction ``rcpps`` as two small tables.

gnubg's units divide by an x86 instruction that returns 1 / x to about 12 bits. Which 12 bits
depends on the maker of the processor. These are AMD's, measured on an EPYC of 2024 (Zen 5); the
tables state what the instruction returned, so every machine computes the same here.

The instruction reads the first 12 bits of the mantissa, four at a time as a, b and c. For
1 <= x < 2 it returns (P[a, b] - Q[a, c]) / 8192; for other x it changes the exponent alone.
``tests/test_gnubg_reciprocal.py`` compares the tables with the processor it runs on, for all 2^23
mantissas. To measure them on another one: P[a, b] is 8192 times the instruction's result for
1 + a / 16 + b / 256, and Q[a, c] is how much less it returns for 1 + a / 16 + c / 4096.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gnubg_py.kernel_cache import njit

_P = """
8190 8158 8127 8095 8065 8034 8003 7973 7943 7913 7883 7854 7825 7796 7767 7738
7708 7680 7652 7625 7597 7570 7543 7516 7489 7462 7436 7410 7384 7358 7332 7307
7280 7255 7230 7205 7181 7156 7132 7108 7084 7060 7037 7013 6990 6967 6944 6921
6897 6875 6852 6830 6808 6786 6764 6742 6721 6699 6678 6657 6636 6615 6594 6574
6552 6532 6512 6492 6472 6452 6432 6413 6393 6374 6354 6335 6316 6297 6278 6260
6241 6223 6204 6186 6168 6150 6132 6114 6096 6079 6061 6044 6026 6009 5992 5975
5957 5940 5924 5907 5890 5874 5858 5841 5825 5809 5793 5777 5761 5746 5730 5714
5698 5683 5667 5652 5637 5622 5607 5592 5577 5562 5548 5533 5519 5504 5490 5475
5461 5447 5432 5418 5405 5391 5377 5363 5350 5336 5322 5309 5296 5282 5269 5256
5242 5229 5216 5203 5191 5178 5165 5152 5140 5127 5115 5102 5090 5078 5065 5053
5041 5029 5017 5005 4993 4981 4969 4958 4946 4934 4923 4911 4900 4888 4877 4866
4854 4843 4832 4821 4810 4799 4788 4777 4766 4755 4744 4734 4723 4713 4702 4691
4680 4670 4660 4649 4639 4629 4619 4609 4598 4588 4578 4568 4559 4549 4539 4529
4519 4510 4500 4490 4481 4471 4462 4452 4443 4433 4424 4415 4406 4396 4387 4378
4368 4359 4350 4341 4332 4323 4315 4306 4297 4288 4279 4271 4262 4253 4245 4236
4228 4219 4211 4202 4194 4186 4177 4169 4161 4153 4144 4136 4128 4120 4112 4104
"""
_Q = """
0 2 3 5 7 9 11 13 15 17 18 20 22 24 26 28
0 1 3 5 6 8 10 11 13 15 16 18 20 21 23 25
0 1 3 4 5 7 8 10 11 13 14 16 17 19 20 22
0 1 2 4 5 6 8 9 10 12 13 14 16 17 18 20
0 1 2 3 4 6 7 8 9 11 12 13 14 15 17 18
0 1 2 4 5 6 7 8 9 10 11 12 14 15 16 17
0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
0 1 2 3 4 5 5 6 7 8 9 10 11 12 13 14
0 1 2 2 3 4 5 6 7 8 8 9 10 11 12 13
0 1 1 2 3 4 5 5 6 7 8 9 9 10 11 12
0 1 2 2 3 4 4 5 6 7 7 8 9 10 10 11
0 1 1 2 3 3 4 5 5 6 7 7 8 9 9 10
0 0 1 2 2 3 3 4 5 5 6 7 7 8 8 9
0 0 1 2 2 3 3 4 5 5 6 6 7 8 8 9
0 0 1 1 2 2 3 3 4 5 5 6 6 7 7 8
0 0 1 1 2 2 3 4 4 5 5 6 6 7 7 8
"""
_ONE, _EXPONENT = 0x3F800000, 0x7F800000
"""The bits of 1.0 as float32, and the bits that hold an exponent."""


def _results() -> Any:
    """The bits of the result, int32[4096], for each start of a mantissa."""
    p, q = (np.array(rows.split(), np.int32).reshape(16, 16) for rows in (_P, _Q))
    whole = (p[:, :, None] - q[:, None, :]).reshape(-1)
    return (whole / 8192).astype(np.float32).view(np.int32)


_RESULTS = _results()


@njit(cache=True, nogil=True)
def reciprocals(values: Any) -> None:  # pragma: no cover - compiled
    """Replace positive normal numbers, float32[n], by their reciprocals of 12 bits, in place.

    >>> values = np.array([1, 2, 3], np.float32)
    >>> reciprocals(values)
    >>> values.tolist()
    [0.999755859375, 0.4998779296875, 0.33331298828125]
    """
    bits = values.view(np.int32)
    for i in range(len(bits)):
        exponent = (bits[i] & _EXPONENT) - _ONE
        bits[i] = _RESULTS[(bits[i] >> 11) & 0xFFF] - exponent
