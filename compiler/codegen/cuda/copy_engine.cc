// Barrier objects in shared memory and the copies that complete at them.
#include "compiler/codegen/cuda/printer.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/support/str_cat.h"

namespace kiln::cuda {
namespace {

using ir::Intrinsic;

}  // namespace

bool Printer::PrintCopyEngine(const Node& node) {
  const Intrinsic id = ir::FindIntrinsic(node.name)->id;
  switch (id) {
    case Intrinsic::kMBarrierArrive:
    case Intrinsic::kMBarrierArriveAt:
    case Intrinsic::kMBarrierExpect:
    case Intrinsic::kMBarrierInit:
    case Intrinsic::kMBarrierWait: {
      Use(node.name);
      std::string more = node.args.size() > 2 ? StrCat(", ", Value(node.args[2]).text) : "";
      Line(StrCat(node.name, "(", ElementAddress(node.args[0], node.args[1]), more, ");"));
      return true;
    }
    case Intrinsic::kFenceBarrierInit:
    case Intrinsic::kFenceProxyAsync:
    case Intrinsic::kBulkCommit:
      Use(node.name);
      Line(StrCat(node.name, "();"));
      return true;
    case Intrinsic::kBulkWait:
    case Intrinsic::kBulkWaitRead:
      Use(node.name);
      Line(StrCat(node.name, "<", Constant(node.args[0]), ">();"));
      return true;
    case Intrinsic::kTmaLoad:
    case Intrinsic::kTmaLoadMulticast:
      PrintTmaLoad(node, id == Intrinsic::kTmaLoadMulticast);
      return true;
    case Intrinsic::kTmaStore:
      PrintTmaStore(node);
      return true;
    default:
      return false;
  }
}

// Coordinates from argument `first` on.
void Printer::PrintTmaLoad(const Node& node, bool multicast) {
  const size_t first = multicast ? 6 : 5;
  const std::string function = StrCat(node.name, "_", node.args.size() - first, "d");
  Use(function);
  std::string rest = multicast ? StrCat(", ", Value(node.args[5]).text) : "";
  for (size_t i = first; i < node.args.size(); ++i) StrAppend(&rest, ", ", Value(node.args[i]).text);
  Line(StrCat(function, "(", ElementAddress(node.args[0], node.args[1]), ", ", names_.Of(node.args[2]->name), ", ",
              ElementAddress(node.args[3], node.args[4]), rest, ");"));
}

void Printer::PrintTmaStore(const Node& node) {
  const std::string function = StrCat("tma_store_", node.args.size() - 3, "d");
  Use(function);
  std::string rest;
  for (size_t i = 3; i < node.args.size(); ++i) StrAppend(&rest, ", ", Value(node.args[i]).text);
  Line(StrCat(function, "(", names_.Of(node.args[0]->name), ", ", ElementAddress(node.args[1], node.args[2]), rest,
              ");"));
}

}  // namespace kiln::cuda
