// The state behind MakeRandomKernel: axes, what is visible, the text so far.
#ifndef KILN_TESTS_RANDOM_MAKER_H_
#define KILN_TESTS_RANDOM_MAKER_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "tests/random/kernel.h"

namespace kiln::testing {

// A direction that tiles have. Tensors that share an axis share its symbol.
struct Axis {
  std::string symbol;
  int64_t extent = 1;
  int64_t tile = 1;
  std::string start;  // The tile's first index: `0`, a let over cta_id, or a loop variable
  bool fixed = true;  // The symbol is static
  int64_t Trips() const { return (extent + tile - 1) / tile; }
};

// Axes of a tile's dimensions, in order.
using Frame = std::vector<int>;

// What has a name and a tile's shape.
struct Named {
  enum class Place { kLocal, kShared, kGlobal };
  std::string name;
  Frame frame;
  Number number;
  Place place = Place::kLocal;
};

struct ScalarName {
  std::string name;
  Number number;
};

struct Value {
  std::string text;
  Number number;
  bool covers = false;  // It has the frame's full shape; if not, it broadcasts to it
};

class Maker {
 public:
  Maker(uint64_t seed, int size) : size_(size), random_(seed * 0x9E3779B97F4A7C15u + 1) { kernel_.seed = seed; }
  RandomKernel Make();

 private:
  // Of expressions: a tree of depth 3 has up to 27 leaves.
  int Depth() const { return std::min(size_ / 2, 3); }

  // --- Chance
  int64_t Pick(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  bool Chance(int percent) { return Pick(100) < percent; }
  template <typename T>
  T Any(const std::vector<T>& of) {
    return of[Pick(static_cast<int64_t>(of.size()))];
  }
  DType AnyDType();
  Memory AnyMemory();

  // --- Text
  void Line(const std::string& text) { lines_.push_back(std::string(2 * depth_, ' ') + text); }
  std::string Fresh(const std::string& stem) { return stem + std::to_string(next_name_++); }
  std::string Shape(const Frame& frame) const;    // "4, 8"
  std::string Slices(const Frame& frame);         // "m0 +: 4, :"
  std::string Symbols(const Frame& frame) const;  // "M, N"

  // --- Arguments
  size_t AddArgument(RandomArgument arg, const std::string& shape);
  size_t Input(const Frame& frame);
  Number NumberOf(const RandomArgument& arg) const;

  // --- Expressions: values that broadcast to `frame`
  Value Expression(const Frame& frame, int depth);
  Value Exact(const Frame& frame, int depth);      // With no error
  Value Covering(const Frame& frame, int depth);   // Of the frame's full shape
  Value Integer(const Frame& frame, int depth);    // i32, i64 or u32
  Value Float(const Frame& frame, int depth);      // f32 or f64
  Value Condition(const Frame& frame, int depth);  // bool
  Value Leaf(const Frame& frame);
  Value FromArgument(const Frame& frame);
  Value Constant();
  Value Scalar();
  Value Element();
  Value Arithmetic(const Frame& frame, int depth);
  Value IntegerOperation(const Frame& frame, int depth);
  Value Function(const Frame& frame, int depth);
  Value Select(const Frame& frame, int depth);
  Value Tame(Value value);
  Value Clamped(Value value, double most);
  void Meet(Value& a, Value& b);
  Value Fitting(Value value, DType dtype);  // What a store to `dtype` may take
  // `text`, broadcast from `from` to `frame`.
  static std::string Spread(const std::string& text, const Frame& from, const Frame& frame);
  std::string Reference(const Named& named, const Frame& frame);  // Empty where it has another frame

  // --- Statements
  void Statement();
  void NewTile();
  void NewShared();
  void NewView();
  void Reassign();
  void Reduce();
  void Loop();
  void Branch();
  void Multiply();
  void Gather();
  void ScalarStatement();
  void Join();
  void Scatter();
  std::string StoreOf(const Named& named, const Value& value);
  void Update(Named& named, const std::function<Value()>& make);
  void WriteOutputs();
  Frame AnyFrame();
  std::vector<Frame> Frames() const;
  void PickAxes();
  std::string Header() const;
  void Restore(size_t tiles, size_t scalars);

  const int size_;
  std::mt19937_64 random_;
  RandomKernel kernel_;
  std::vector<std::string> declared_;  // Parameters as written
  std::vector<Frame> frames_;          // Of arguments; empty of index tensors
  std::vector<Axis> axes_;
  std::vector<int> open_;  // Axes that tiles may have here
  std::vector<Named> tiles_;
  std::vector<ScalarName> scalars_;
  std::vector<std::string> lines_;
  std::string launch_;
  int depth_ = 1;
  int next_name_ = 0;
  int nesting_ = 0;
};

}  // namespace kiln::testing

#endif  // KILN_TESTS_RANDOM_MAKER_H_
