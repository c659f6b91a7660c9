#include "tests/random/kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace kiln::testing {

std::vector<Tensor> RandomKernel::Tensors() const {
  std::mt19937_64 random(seed * 31 + 7);
  std::vector<Tensor> out;
  for (const RandomArgument& arg : args) {
    Tensor tensor(arg.dtype, arg.shape, arg.memory);
    if (arg.distinct) {
      std::vector<double> rows(static_cast<size_t>(arg.most));
      std::iota(rows.begin(), rows.end(), 0.0);
      for (size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random() % i]);
      for (int64_t i = 0; i < tensor.count(); ++i) {
        const bool outside = random() % 5 == 0;
        tensor.Set(i, outside ? (random() % 2 ? -1.0 : arg.most) : rows[static_cast<size_t>(i)]);
      }
    } else if (!arg.output) {
      const double unit = std::ldexp(1.0, arg.grain);
      const auto steps = static_cast<uint64_t>((arg.most - arg.least) / unit) + 1;
      for (int64_t i = 0; i < tensor.count(); ++i)
        tensor.Set(i, arg.least + unit * static_cast<double>(random() % steps));
    }
    out.push_back(std::move(tensor));
  }
  return out;
}

Bindings RandomKernel::BindingsFor(const std::vector<Tensor>& tensors) const {
  Bindings bindings;
  bindings.ints = ints;
  for (size_t i = 0; i < args.size(); ++i) bindings.tensors[args[i].name] = tensors[i].Binding();
  return bindings;
}

void Maker::PickAxes() {
  const char* symbols[] = {"M", "N", "P"};
  const int64_t rank = size_ < 2 ? 1 : 1 + Pick(3);
  std::vector<std::string> grid;
  std::vector<std::string> starts;
  int64_t elements = 1;
  for (int64_t i = 0; i < rank; ++i) {
    Axis axis;
    axis.symbol = symbols[i];
    const int64_t most = size_ < 4 ? 8 : 32;
    axis.tile = Chance(70) ? int64_t{1} << Pick(size_ < 4 ? 4 : 6) : 1 + Pick(most);
    while (elements * axis.tile > 1024) axis.tile = (axis.tile + 1) / 2;
    elements *= axis.tile;
    const bool tiled = Chance(50);
    axis.start = "0";
    if (tiled) {
      axis.start = Fresh(i == 0 ? "m" : i == 1 ? "n" : "p");
      axis.extent = Chance(20) ? axis.tile * (1 + Pick(2)) : 1 + Pick(2 * axis.tile + 1);
      const std::string id = absl::StrCat("cta_id.", std::string(1, static_cast<char>('x' + grid.size())));
      starts.push_back(absl::StrCat("let ", axis.start, " = ", id, " * ", axis.tile));
      grid.push_back(absl::StrCat("ceildiv(", axis.symbol, ", ", axis.tile, ")"));
    } else {
      axis.extent = Chance(60) ? axis.tile : 1 + Pick(axis.tile);
    }
    axis.fixed = Chance(50);
    axes_.push_back(std::move(axis));
    open_.push_back(static_cast<int>(i));
  }
  if (grid.empty()) grid.push_back("1");
  launch_ = absl::StrCat("  launch grid(", absl::StrJoin(grid, ", "), ")",
                         Chance(85) ? absl::StrCat(" block(", Any<int64_t>({32, 64, 96, 128, 256}), ")") : "");
  for (const std::string& line : starts) Line(line);
  for (const Axis& axis : axes_)
    if (axis.start != "0")
      scalars_.push_back({axis.start, Whole(DType::kI64, static_cast<double>(axis.extent + axis.tile))});
}

std::string Maker::Header() const {
  std::vector<std::string> policies;
  std::string declared = absl::StrJoin(declared_, ", ");
  for (const Axis& axis : axes_) policies.push_back(absl::StrCat(axis.symbol, ": ", axis.fixed ? "static" : "dynamic"));
  return absl::StrCat("kernel k(", declared, ")\n  where ", absl::StrJoin(policies, ", "), "\n", launch_, " {\n");
}

RandomKernel Maker::Make() {
  PickAxes();
  Input(open_);
  for (int i = 0; i < size_; ++i) Statement();
  WriteOutputs();
  for (const Axis& axis : axes_)
    if (axis.fixed) kernel_.ints[axis.symbol] = axis.extent;
  kernel_.text = absl::StrCat(Header(), absl::StrJoin(lines_, "\n"), "\n}\n");
  return std::move(kernel_);
}

RandomKernel MakeRandomKernel(uint64_t seed, int size) { return Maker(seed, size).Make(); }

}  // namespace kiln::testing
