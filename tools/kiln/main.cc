// The command line of `kiln`. The only file that includes CLI11, which compiles slowly.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <string>

#include "tools/kiln/assignments.h"
#include "tools/kiln/commands.h"

namespace kiln::tool {
namespace {

// Flags as typed: `M=512,N=4096`, and again for more.
struct TypedKernelFlags {
  KernelFlags flags;
  std::vector<std::string> shape, dtypes, settings;

  // Reads what was typed. An error is one of usage.
  KernelFlags Read() const {
    KernelFlags read = flags;
    read.shape = ReadIntegers("--shape", shape);
    read.dtypes = ReadWords("--dtype", dtypes);
    read.settings = ReadIntegers("--set", settings);
    return read;
  }
};

void AddKernelFlags(CLI::App* command, TypedKernelFlags* typed) {
  command->add_option("FILE", typed->flags.file, "Kernels, as .kiln text or encoded; - for stdin")->required();
  command->add_option("--kernel", typed->flags.kernel, "Kernel; left out: the one named like FILE, or the only one");
  command
      ->add_option("--target", typed->flags.target,
                   "cpu, cuda (the first device's own), reference, or a name as sm_90a")
      ->capture_default_str();
  command->add_option("--shape", typed->shape, "Values of symbols: M=512,N=4096");
  command->add_option("--dtype", typed->dtypes, "Dtype parameters: T=bf16");
  command->add_option("--set", typed->settings, "Integer parameters: BM=128; others take the compiler's choice");
}

int Main(int argc, char** argv) {
  CLI::App app{"Serialized tile kernels to running machine code."};
  app.require_subcommand(1);
  app.set_version_flag("--version", KILN_VERSION);
  app.footer("Exit codes: 0 done, 1 failed, 2 usage. 'kiln COMMAND --help' has each command's flags.");
  std::function<int()> chosen;

  TypedKernelFlags run_kernel;
  RunFlags run;
  std::vector<std::string> scalars;
  CLI::App* command = app.add_subcommand("run", "Compile or find a kernel, run it on made data, time it");
  AddKernelFlags(command, &run_kernel);
  command->add_option("--scalar", scalars, "Values of scalar parameters: eps=1e-6");
  command->add_flag("--check", run.check, "Compare the results with the reference");
  command->add_option("--repeat", run.repeat, "Timed runs, of which the median counts")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", run.seed, "Of the made data")->capture_default_str();
  command->add_flag("--json", run.json, "Print one JSON object");
  command->footer(
      "Example:\n  kiln run api/kernels/rmsnorm.kiln --target cpu --shape M=512,N=4096 --dtype T=f32 --check");
  command->callback([&] {
    chosen = [&] {
      run.kernel = run_kernel.Read();
      run.scalars = ReadNumbers("--scalar", scalars);
      return Run(run);
    };
  });

  TypedKernelFlags compile_kernel;
  CompileFlags compile;
  command = app.add_subcommand("compile", "Compile a kernel as far as asked; needs no device");
  AddKernelFlags(command, &compile_kernel);
  command
      ->add_option("--emit", compile.emit,
                   "ir, plan, lowered, source, llvm, ptx, cubin, sass (with nvdisasm) or object")
      ->check(CLI::IsMember({"ir", "plan", "lowered", "source", "llvm", "ptx", "cubin", "sass", "object"}))
      ->capture_default_str();
  command->add_option("-o,--output", compile.out, "Left out: stdout");
  command->footer(
      "Example:\n  kiln compile api/kernels/gemm.kiln --target sm_90a --shape N=4096,K=4096 --dtype T=bf16 \\\n"
      "      --set BM=128,BN=128,BK=64,STAGES=3 --emit cubin -o gemm.cubin");
  command->callback([&] {
    chosen = [&] {
      compile.kernel = compile_kernel.Read();
      return Compile(compile);
    };
  });

  FileFlags check;
  command = app.add_subcommand("check", "Read and verify kernels, and report every problem");
  command->add_option("FILE", check.file, "Text or encoded; - for stdin")->required();
  command->callback([&] { chosen = [&] { return Check(check); }; });

  FileFlags fmt;
  command = app.add_subcommand("fmt", "Print text in its canonical form, comments kept");
  command->add_option("FILE", fmt.file, "- for stdin")->required();
  command->add_flag("--write", fmt.write, "Write over FILE");
  command->add_flag("--check", fmt.compare, "Print nothing; exit 1 when FILE would change");
  command->callback([&] { chosen = [&] { return Format(fmt); }; });

  TypedKernelFlags explain_kernel;
  command = app.add_subcommand("explain", "Print every decision about a kernel, with what was refused and why");
  AddKernelFlags(command, &explain_kernel);
  command->callback([&] { chosen = [&] { return Explain(explain_kernel.Read()); }; });

  FileFlags encode;
  command = app.add_subcommand("encode", "Text to bytes");
  command->add_option("FILE", encode.file, "- for stdin")->required();
  command->add_option("-o,--output", encode.out, "Left out: stdout");
  command->callback([&] { chosen = [&] { return Encode(encode); }; });

  FileFlags decode;
  command = app.add_subcommand("decode", "Bytes to canonical text");
  command->add_option("FILE", decode.file, "- for stdin")->required();
  command->add_option("-o,--output", decode.out, "Left out: stdout");
  command->callback([&] { chosen = [&] { return Decode(decode); }; });

  LayoutFlags layout;
  command = app.add_subcommand("layout", "Read a layout; say where an element of it is");
  command->add_option("LAYOUT", layout.layout, "As S[(8,2):(4@laneid,1)] + R[2:4@warpid]")->required();
  command->add_option("--shape", layout.shape, "Extents of the tile that it lays out: 8,16")->delimiter(',');
  command->add_option("--at", layout.at, "An element of it: 3,9")->delimiter(',');
  command->add_flag("--json", layout.json, "Print one JSON object");
  command->callback([&] { chosen = [&] { return Layout(layout); }; });

  CacheFlags cache;
  command = app.add_subcommand("cache", "Look into the disk cache, or empty it");
  command->require_subcommand(1);
  const auto cache_action = [&](const char* name, const char* help) {
    CLI::App* action = command->add_subcommand(name, help);
    action->callback([&cache, &chosen, name] {
      cache.action = name;
      chosen = [&cache] { return Cache(cache); };
    });
    action->add_flag("--json", cache.json, "Print JSON");
    action->add_option("--dir", cache.dir, "Look here instead: an absolute path");
    return action;
  };
  cache_action("stats", "How many entries, how large");
  cache_action("list", "Every entry");
  cache_action("inspect", "One entry: what it holds, and the request that it answers")
      ->add_option("DIGEST", cache.digest, "The first digits of its digest, as list prints them")
      ->required();
  cache_action("verify", "Check every entry; exit 1 when one is damaged")
      ->add_flag("--remove", cache.remove, "Remove what is damaged");
  CLI::App* gc = cache_action("gc", "Remove the entries that were used longest ago, down to the limits");
  gc->add_option("--max-bytes", cache.max_bytes, "Instead of KILN_CACHE_MAX_BYTES: 500MB, 2GiB")
      ->transform(CLI::AsSizeValue(false));
  gc->add_option("--max-entries", cache.max_entries, "Instead of KILN_CACHE_MAX_ENTRIES");
  cache_action("clear", "Remove every entry");

  TypedKernelFlags missed_kernel;
  ExplainMissFlags missed;
  CLI::App* explain_miss = command->add_subcommand(
      "explain-miss", "Whether a kernel would be found, and what is different in the nearest that is there");
  AddKernelFlags(explain_miss, &missed_kernel);
  explain_miss->add_flag("--json", missed.json, "Print JSON");
  explain_miss->add_option("--dir", missed.dir, "Look here instead: an absolute path");
  explain_miss->callback([&] {
    chosen = [&] {
      missed.kernel = missed_kernel.Read();
      return ExplainMiss(missed);
    };
  });

  BundleFlags bundle;
  std::vector<std::string> where;
  CLI::App* bundles = command->add_subcommand("bundle", "Many entries in one file, to be shipped with a model");
  bundles->require_subcommand(1);
  const auto bundle_action = [&](const char* name, const char* help, const char* file) {
    CLI::App* action = bundles->add_subcommand(name, help);
    action->callback([&, name] {
      bundle.action = name;
      chosen = [&] {
        bundle.where = ReadWords("--where", where);
        return BundleCommand(bundle);
      };
    });
    action->add_option("FILE", bundle.file, file)->required();
    action->add_flag("--json", bundle.json, "Print JSON");
    return action;
  };
  const auto add_sign = [&](CLI::App* action) {
    action->add_option("--sign", bundle.sign, "Sign with this key, which keygen made");
    return action;
  };
  const auto add_keys = [&](CLI::App* action) {
    action->add_option("--key", bundle.keys, "Refuse what is not signed by this public key, or another one given so");
    return action;
  };
  CLI::App* create = add_sign(bundle_action("create", "From the disk cache", "The bundle to be made"));
  create->add_option("--where", where, "Only entries with these fields: kernel=gemm,arch=sm_90a");
  create->add_option("--dir", bundle.dir, "From this directory instead: an absolute path");
  create->footer(
      "Example:\n  kiln cache bundle create model.kbundle --where arch=sm_90a\n"
      "  KILN_CACHE_DIR=$HOME/.cache/kiln:$PWD/model.kbundle ./engine");
  add_keys(bundle_action("list", "What a bundle holds", "A bundle"));
  add_keys(bundle_action("verify", "Check every entry; exit 1 when one is damaged", "A bundle"));
  add_keys(add_sign(bundle_action("merge", "Several as one; of two entries for one key the first stays",
                                  "The bundle to be made")))
      ->add_option("FROM", bundle.from, "Bundles")
      ->required();
  bundle_action("keygen", "A fresh key; prints its public half", "The file for the secret half");

  DeviceFlags device;
  command = app.add_subcommand("device", "Devices, targets and toolchains here, and what is missing");
  command->add_flag("--json", device.json, "Print one JSON object");
  command->callback([&] { chosen = [&] { return Device(device); }; });

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kUsage;
  }
  try {
    return chosen();
  } catch (const UsageError& error) {
    std::fprintf(stderr, "usage: %s\n", error.what());
    return kUsage;
  }
}

}  // namespace
}  // namespace kiln::tool

int main(int argc, char** argv) { return kiln::tool::Main(argc, argv); }
