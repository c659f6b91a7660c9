#include "compiler/toolchain/llvm_backend/compile.h"

#include <memory>
#include <optional>

#include "compiler/toolchain/llvm_backend/host.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"

namespace kiln::llvm_backend {
namespace {

class Diagnostics : public llvm::DiagnosticHandler {
 public:
  explicit Diagnostics(std::string* log) : log_(log) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error || info.getSeverity() == llvm::DS_Warning) {
      llvm::raw_string_ostream out(*log_);
      llvm::DiagnosticPrinterRawOStream printer(out);
      info.print(printer);
      out << '\n';
      failed_ |= info.getSeverity() == llvm::DS_Error;
    }
    return true;
  }
  bool failed() const { return failed_; }

 private:
  std::string* log_;
  bool failed_ = false;
};

// Remembers the first answer that was not kOk.
class Interruption {
 public:
  explicit Interruption(const LlvmCompileInput& input) : input_(input) {}
  LlvmResult Check() {
    if (result_ == LlvmResult::kOk && input_.interrupted) result_ = input_.interrupted(input_.context);
    return result_;
  }

 private:
  const LlvmCompileInput& input_;
  LlvmResult result_ = LlvmResult::kOk;
};

std::unique_ptr<llvm::TargetMachine> MakeMachine(const Arch& arch, std::string* log) {
  std::string triple = llvm::sys::getDefaultTargetTriple();
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, *log);
  if (!target) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;  // Fused where the text says so
  std::string baseline(BaselineCpu());
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, baseline, arch.features, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

void Optimize(llvm::Module& module, llvm::TargetMachine& machine, Interruption& interruption) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  tuning.LoopInterleaving = false;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(
      [&](llvm::StringRef, llvm::Any) { return interruption.Check() == LlvmResult::kOk; });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

}  // namespace

LlvmResult Compile(const LlvmCompileInput& input, std::string* object, std::string* log) {
  Interruption interruption(input);
  llvm::LLVMContext context;
  auto handler = std::make_unique<Diagnostics>(log);
  const Diagnostics& diagnostics = *handler;
  context.setDiagnosticHandler(std::move(handler));

  llvm::SMDiagnostic error;
  // The parser wants a zero byte behind the text.
  std::string text(input.text, input.size);
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  llvm::raw_string_ostream out(*log);
  if (!module) {
    error.print("kernel.ll", out, /*ShowColors=*/false);
    return LlvmResult::kRefused;
  }
  if (llvm::verifyModule(*module, &out)) return LlvmResult::kRefused;

  Arch arch = ParseArch(input.arch);
  std::unique_ptr<llvm::TargetMachine> machine = MakeMachine(arch, log);
  if (!machine) return LlvmResult::kRefused;
  module->setTargetTriple(machine->getTargetTriple().str());
  module->setDataLayout(machine->createDataLayout());
  for (llvm::Function& function : *module)
    if (!function.isDeclaration()) function.addFnAttr("tune-cpu", arch.tune);

  Optimize(*module, *machine, interruption);
  if (LlvmResult result = interruption.Check(); result != LlvmResult::kOk) return result;

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    out << "the target emits no object files\n";
    return LlvmResult::kRefused;
  }
  passes.run(*module);
  if (diagnostics.failed()) return LlvmResult::kRefused;
  if (LlvmResult result = interruption.Check(); result != LlvmResult::kOk) return result;
  object->assign(bytes.begin(), bytes.end());
  return LlvmResult::kOk;
}

}  // namespace kiln::llvm_backend
