#include "compiler/toolchain/llvm_backend/jit.h"

#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace kiln::llvm_backend {

struct LoadedObject {
  llvm::orc::JITDylib* library = nullptr;
};

namespace {

namespace orc = llvm::orc;

// ORC reports what went wrong inside a link on the side; linking runs on the thread that asked.
thread_local std::string* link_log = nullptr;

void ReportToLinkLog(llvm::Error error) {
  std::string text = llvm::toString(std::move(error));
  if (!link_log) return;
  if (!link_log->empty()) *link_log += "; ";
  *link_log += text;
}

template <typename Function>
orc::ExecutorSymbolDef Symbol(Function* function) {
  return {orc::ExecutorAddr::fromPtr(function), llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
}

using Unary32 = float(float);
using Unary64 = double(double);
using Binary32 = float(float, float);
using Binary64 = double(double, double);

// All that kernels may call outside themselves: what LLVM makes of loops that move memory, and the functions of libm
// that stand in where the CPU has no instruction.
orc::SymbolMap HostSymbols(orc::MangleAndInterner& name) {
  return {
      {name("memcpy"), Symbol(&std::memcpy)},
      {name("memmove"), Symbol(&std::memmove)},
      {name("memset"), Symbol(&std::memset)},
      {name("floorf"), Symbol<Unary32>(&::floorf)},
      {name("floor"), Symbol<Unary64>(&::floor)},
      {name("ceilf"), Symbol<Unary32>(&::ceilf)},
      {name("ceil"), Symbol<Unary64>(&::ceil)},
      {name("rintf"), Symbol<Unary32>(&::rintf)},
      {name("rint"), Symbol<Unary64>(&::rint)},
      {name("roundevenf"), Symbol<Unary32>(&::rintf)},
      {name("roundeven"), Symbol<Unary64>(&::rint)},
      {name("exp"), Symbol<Unary64>(&::exp)},
      {name("exp2"), Symbol<Unary64>(&::exp2)},
      {name("log"), Symbol<Unary64>(&::log)},
      {name("log2"), Symbol<Unary64>(&::log2)},
      {name("tanh"), Symbol<Unary64>(&::tanh)},
      {name("sin"), Symbol<Unary64>(&::sin)},
      {name("cos"), Symbol<Unary64>(&::cos)},
      {name("erf"), Symbol<Unary64>(&::erf)},
      {name("powf"), Symbol<Binary32>(&::powf)},
      {name("pow"), Symbol<Binary64>(&::pow)},
      {name("fmaxf"), Symbol<Binary32>(&::fmaxf)},
      {name("fmax"), Symbol<Binary64>(&::fmax)},
      {name("fminf"), Symbol<Binary32>(&::fminf)},
      {name("fmin"), Symbol<Binary64>(&::fmin)},
      {name("fmaf"), Symbol<float(float, float, float)>(&::fmaf)},
      {name("fma"), Symbol<double(double, double, double)>(&::fma)},
  };
}

class Jit {
 public:
  static llvm::Expected<std::unique_ptr<Jit>> Create() {
    auto lljit = orc::LLJITBuilder()
                     .setLinkProcessSymbolsByDefault(false)
                     .setPlatformSetUp(orc::setUpInactivePlatform)
                     .setObjectLinkingLayerCreator([](orc::ExecutionSession& session, const llvm::Triple&) {
                       return std::make_unique<orc::ObjectLinkingLayer>(session);
                     })
                     .create();
    if (!lljit) return lljit.takeError();
    auto jit = std::make_unique<Jit>();
    jit->lljit_ = std::move(*lljit);
    orc::ExecutionSession& session = jit->lljit_->getExecutionSession();
    session.setErrorReporter(ReportToLinkLog);
    jit->host_ = &session.createBareJITDylib("host");
    orc::MangleAndInterner name(session, jit->lljit_->getDataLayout());
    if (llvm::Error error = jit->host_->define(orc::absoluteSymbols(HostSymbols(name)))) return error;
    return jit;
  }

  llvm::Expected<orc::JITDylib*> Load(std::string_view object, const char* entry, void** address) {
    orc::ExecutionSession& session = lljit_->getExecutionSession();
    orc::JITDylib& library = session.createBareJITDylib("kernel" + std::to_string(counter_++));
    library.addToLinkOrder(*host_);
    auto bytes = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()), entry);
    llvm::Error error = lljit_->addObjectFile(library, std::move(bytes));
    if (!error) {
      auto symbol = lljit_->lookup(library, entry);
      if (symbol) {
        *address = symbol->toPtr<void*>();
        return &library;
      }
      error = symbol.takeError();
    }
    Unload(library);
    return error;
  }

  void Unload(orc::JITDylib& library) {
    if (llvm::Error error = lljit_->getExecutionSession().removeJITDylib(library)) ReportToLinkLog(std::move(error));
  }

 private:
  std::unique_ptr<orc::LLJIT> lljit_;
  orc::JITDylib* host_ = nullptr;
  std::atomic<uint64_t> counter_ = 0;
};

// One for the process, never destroyed: kernels may outlive every static object.
Jit* SharedJit(std::string* error) {
  static std::string* failure = new std::string;
  static Jit* jit = []() -> Jit* {
    llvm::Expected<std::unique_ptr<Jit>> made = Jit::Create();
    if (made) return made->release();
    *failure = llvm::toString(made.takeError());
    return nullptr;
  }();
  if (!jit) *error = *failure;
  return jit;
}

}  // namespace

LoadedObject* LoadObject(std::string_view object, const char* entry, void** address, std::string* error) {
  Jit* jit = SharedJit(error);
  if (!jit) return nullptr;
  link_log = error;
  llvm::Expected<orc::JITDylib*> library = jit->Load(object, entry, address);
  if (!library) ReportToLinkLog(library.takeError());
  link_log = nullptr;
  return library ? new LoadedObject{*library} : nullptr;
}

void UnloadObject(LoadedObject* object) {
  std::string ignored;
  SharedJit(&ignored)->Unload(*object->library);
  delete object;
}

}  // namespace kiln::llvm_backend
