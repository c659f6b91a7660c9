#include "compiler/codegen/llvm/math_functions.h"

#include <limits>

namespace kiln::llvm_text {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
// Adding it to a float below 2^22 rounds that to an integer, which then stands in the low bits: its own lowest nine are
// zero, so that a shift into the exponent's place leaves the integer alone.
constexpr double kRounder = 12582912.0;  // 1.5 * 2^23
constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2High = 0.693359375;  // Few bits: its products with small integers are exact
constexpr double kLn2Low = -2.1219444005469057e-4;
constexpr double kSqrtHalf = 0.70710678118654752;

// fraction * 2^n through the exponent's bits. REQUIRES: the result is a normal number, or the infinity next to the
// largest.
std::string Scale(Lanes& v, const std::string& fraction, const std::string& n) {
  return v.FromBits(v.Bin("add", "i32", v.Bits(fraction), v.Bin("shl", "i32", n, v.I(23))));
}

// `y` where x >= least, zero below, NaN for NaN: subnormal results are flushed.
std::string FlushBelow(Lanes& v, const std::string& x, double least, const std::string& y) {
  std::string zero_or_nan = v.Select(v.FCmp("ogt", v.F(0.0), x), "float", v.F(0.0), x);
  return v.Select(v.FCmp("oge", x, v.F(least)), "float", y, zero_or_nan);
}

// NaN passes through: it compares false.
std::string Clamp(Lanes& v, const std::string& x, double lo, double hi) {
  std::string below = v.Select(v.FCmp("olt", x, v.F(lo)), "float", v.F(lo), x);
  return v.Select(v.FCmp("ogt", below, v.F(hi)), "float", v.F(hi), below);
}

struct Rounded {
  std::string value;    // As a float
  std::string shifted;  // Bits whose low nine are the integer's
};
Rounded RoundToInteger(Lanes& v, const std::string& x) {
  std::string shifted = v.Add(x, v.F(kRounder));
  return {v.Sub(shifted, v.F(kRounder)), v.Bits(shifted)};
}

std::string Exp2(Lanes& v, const std::string& input) {
  // At 128 the fraction is 1 and its exponent that of infinity.
  std::string x = v.Select(v.FCmp("ogt", input, v.F(128.0)), "float", v.F(128.0), input);
  Rounded n = RoundToInteger(v, x);
  std::string f = v.Sub(x, n.value);
  std::string p = v.Poly(
      f, {1.0, 6.931471825e-01, 2.402264774e-01, 5.550332367e-02, 9.618436918e-03, 1.339887502e-03, 1.535336050e-04});
  return FlushBelow(v, input, -126.0, Scale(v, p, n.shifted));
}

std::string Exp(Lanes& v, const std::string& x) {
  Rounded n = RoundToInteger(v, v.Mul(x, v.F(kLog2E)));
  std::string r = v.MulAdd(n.value, v.F(-kLn2High), x);
  r = v.MulAdd(n.value, v.F(-kLn2Low), r);
  std::string p =
      v.Poly(r, {1.0, 1.0, 4.999999404e-01, 1.666652113e-01, 4.166838899e-02, 8.368717507e-03, 1.381459646e-03});
  std::string y = Scale(v, p, n.shifted);
  y = v.Select(v.FCmp("oge", x, v.F(88.72283935546875)), "float", v.F(kInfinity), y);
  return FlushBelow(v, x, -87.33654022216797, y);
}

// log x = exponent * ln 2 + f + tail, with f = mantissa - 1 exact.
struct LogParts {
  std::string exponent, f, tail;
};
LogParts SplitLog(Lanes& v, const std::string& x) {
  std::string tiny = v.FCmp("olt", x, v.F(1.1754943508222875e-38));
  std::string normal = v.Select(tiny, "float", v.Mul(x, v.F(8388608.0)), x);
  // The mantissa is put in [sqrt(1/2), sqrt(2)); what that takes from the bits is the exponent.
  std::string bits = v.Bits(normal);
  std::string shifted = v.Bin("sub", "i32", bits, v.Bits(v.F(kSqrtHalf)));
  std::string exponent = v.Bin("ashr", "i32", shifted, v.I(23));
  std::string mantissa = v.FromBits(v.Bin("sub", "i32", bits, v.Bin("shl", "i32", exponent, v.I(23))));
  std::string adjusted = v.Select(tiny, "i32", v.Bin("sub", "i32", exponent, v.I(23)), exponent);
  std::string f = v.Sub(mantissa, v.F(1.0));
  std::string square = v.Mul(f, f);
  std::string q = v.Poly(f, {3.333331347e-01, -2.500000894e-01, 2.000211924e-01, -1.666799635e-01, 1.421955079e-01,
                             -1.240559146e-01, 1.188817471e-01, -1.167564094e-01, 6.746601313e-02});
  std::string cubic = v.Mul(v.Mul(f, square), q);
  return {v.Conv("sitofp", "i32", adjusted, "float"), f, v.MulAdd(square, v.F(-0.5), cubic)};
}

// Zero, negative, infinite and NaN arguments of a logarithm whose value at the others is `y`.
std::string LogEdges(Lanes& v, const std::string& x, const std::string& y) {
  std::string r = v.Select(v.FCmp("oeq", x, v.F(kInfinity)), "float", v.F(kInfinity), y);
  r = v.Select(v.FCmp("oeq", x, v.F(0.0)), "float", v.F(-kInfinity), r);
  return v.Select(v.FCmp("uge", x, v.F(0.0)), "float", v.Select(v.FCmp("uno", x, x), "float", x, r), v.F(kNan));
}

std::string Log(Lanes& v, const std::string& x) {
  LogParts parts = SplitLog(v, x);
  std::string low = v.MulAdd(parts.exponent, v.F(kLn2Low), parts.tail);
  std::string y = v.MulAdd(parts.exponent, v.F(kLn2High), v.Add(parts.f, low));
  return LogEdges(v, x, y);
}

std::string Log2(Lanes& v, const std::string& x) {
  LogParts parts = SplitLog(v, x);
  // log2(e) - 1 apart, so that f itself enters unrounded.
  constexpr double kRest = kLog2E - 1;
  std::string low = v.MulAdd(parts.f, v.F(kRest), v.MulAdd(parts.tail, v.F(kRest), parts.tail));
  std::string y = v.Add(v.Add(parts.f, low), parts.exponent);
  return LogEdges(v, x, y);
}

std::string CopySign(Lanes& v, const std::string& magnitude, const std::string& sign) {
  return v.Intrinsic("copysign", "float", {magnitude, sign});
}

std::string Tanh(Lanes& v, const std::string& x) {
  std::string a = v.Abs(x);
  std::string s = v.Mul(x, x);
  std::string p = v.Poly(s, {-3.333328068e-01, 1.333144158e-01, -5.373971164e-02, 2.063907869e-02, -5.704978481e-03});
  std::string small = v.MulAdd(v.Mul(x, s), p, x);
  std::string e = Exp(v, v.Add(a, a));
  std::string large = v.Sub(v.F(1.0), v.Div(v.F(2.0), v.Add(e, v.F(1.0))));
  return v.Select(v.FCmp("olt", a, v.F(0.625)), "float", small, CopySign(v, large, x));
}

std::string Erf(Lanes& v, const std::string& x) {
  std::string a = v.Abs(x);
  std::string s = v.Mul(x, x);
  std::string p = v.Poly(s, {1.283791661e-01, -3.761263192e-01, 1.128366366e-01, -2.685770579e-02, 5.196951795e-03,
                             -8.097702521e-04, 8.185090701e-05});
  std::string small = v.MulAdd(x, p, x);
  std::string t = Clamp(v, a, 0, 4);
  std::string q = v.Poly(t, {1.533821778e-04, -1.129397035e+00, -6.336272955e-01, -1.079057008e-01, 2.481279150e-02,
                             -4.013394937e-03, 3.847849439e-04, -1.232987961e-05, -6.628212077e-07});
  std::string large = v.Sub(v.F(1.0), Exp(v, q));
  return v.Select(v.FCmp("olt", a, v.F(0.9375)), "float", small, CopySign(v, large, x));
}

// Sine of x + quarter * pi/2. The reduction is in f64, whose product with pi/2 keeps the bits that f32 loses.
std::string Circle(Lanes& v, const std::string& x, int64_t quarter) {
  std::string wide = v.Conv("fpext", "float", x, "double");
  constexpr double kWideRounder = 6755399441055744.0;  // 1.5 * 2^52
  std::string turns = v.Bin("fmul", "double", wide, v.D(6.36619772367581382433e-01));
  std::string shifted = v.Bin("fadd", "double", turns, v.D(kWideRounder));
  std::string n = v.Bin("fsub", "double", shifted, v.D(kWideRounder));
  std::string bits = v.Conv("bitcast", "double", shifted, "i64");
  std::string q = v.Bin("add", "i32", v.Conv("trunc", "i64", bits, "i32"), v.I(quarter));
  std::string high = v.Intrinsic("fmuladd", "double", {n, v.D(-1.57079632679489655800e+00), wide});
  std::string low = v.Intrinsic("fmuladd", "double", {n, v.D(-6.12323399573676603587e-17), high});
  std::string r = Clamp(v, v.Conv("fptrunc", "double", low, "float"), -0.79, 0.79);
  std::string s = v.Mul(r, r);
  std::string odd = v.Poly(s, {-1.666666716e-01, 8.333329111e-03, -1.983932889e-04, 2.718254564e-06});
  std::string sine = v.MulAdd(v.Mul(r, s), odd, r);
  std::string even = v.Poly(s, {-0.5, 4.166666791e-02, -1.388888340e-03, 2.479951399e-05, -2.720970826e-07});
  std::string cosine = v.MulAdd(s, even, v.F(1.0));
  std::string swapped = v.ICmp("ne", v.Bin("and", "i32", q, v.I(1)), v.I(0));
  std::string y = v.Select(swapped, "float", cosine, sine);
  std::string sign = v.Bin("shl", "i32", v.Bin("and", "i32", q, v.I(2)), v.I(30));
  std::string signed_y = v.FromBits(v.Bin("xor", "i32", v.Bits(y), sign));
  return v.Select(v.FCmp("one", v.Abs(x), v.F(kInfinity)), "float", signed_y, v.F(kNan));
}

}  // namespace

bool HasPolynomial(Op op) {
  return op == Op::kExp || op == Op::kExp2 || op == Op::kLog || op == Op::kLog2 || op == Op::kTanh || op == Op::kErf ||
         op == Op::kSin || op == Op::kCos;
}

std::string EmitPolynomial(Lanes& v, Op op, const std::string& x) {
  switch (op) {
    case Op::kExp:
      return Exp(v, x);
    case Op::kExp2:
      return Exp2(v, x);
    case Op::kLog:
      return Log(v, x);
    case Op::kLog2:
      return Log2(v, x);
    case Op::kTanh:
      return Tanh(v, x);
    case Op::kErf:
      return Erf(v, x);
    case Op::kSin:
      return Circle(v, x, 0);
    default:
      return Circle(v, x, 1);
  }
}

}  // namespace kiln::llvm_text
