// The subcommands of `kiln`: each takes its flags, prints, and gives the exit code. One file a command; main.cc reads
// the command line.
#ifndef KILN_TOOLS_KILN_COMMANDS_H_
#define KILN_TOOLS_KILN_COMMANDS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kiln::tool {

// Exit codes.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

// Which kernel, for what. FILE holds text or bytes; the bytes say which.
struct KernelFlags {
  std::string file;
  std::string kernel;  // Empty = the one named like the file, or the only one
  std::string target = "cpu";
  std::map<std::string, int64_t> shape;
  std::map<std::string, std::string> dtypes;
  std::map<std::string, int64_t> settings;
};

struct RunFlags {
  KernelFlags kernel;
  std::map<std::string, double> scalars;
  bool check = false;
  bool json = false;
  int repeat = 10;
  uint64_t seed = 1;
};
int Run(const RunFlags& flags);

struct CompileFlags {
  KernelFlags kernel;
  std::string emit = "source";
  std::string out;  // Empty = stdout
};
int Compile(const CompileFlags& flags);

struct FileFlags {
  std::string file;
  std::string out;       // Empty = stdout, or FILE itself for `fmt --write`
  bool write = false;    // fmt: over FILE
  bool compare = false;  // fmt: only say whether FILE would change
};
int Check(const FileFlags& flags);
int Format(const FileFlags& flags);
int Encode(const FileFlags& flags);
int Decode(const FileFlags& flags);

int Explain(const KernelFlags& flags);

struct LayoutFlags {
  std::string layout;
  std::vector<int64_t> shape;
  std::vector<int64_t> at;
  bool json = false;
};
int Layout(const LayoutFlags& flags);

struct CacheFlags {
  std::string action;                 // stats, list, inspect, verify, gc, clear
  std::string dir;                    // In place of the environment's; absolute
  std::string digest;                 // inspect: the first digits of one
  bool remove = false;                // verify: what is damaged
  std::optional<uint64_t> max_bytes;  // gc: in place of the environment's
  std::optional<uint64_t> max_entries;
  bool json = false;
};
int Cache(const CacheFlags& flags);

struct BundleFlags {
  std::string action;                        // create, list, verify, merge, keygen
  std::string file;                          // The bundle, or keygen's key
  std::vector<std::string> from;             // merge: bundles
  std::map<std::string, std::string> where;  // create: fields that an entry must have
  std::string dir;                           // create: in place of the environment's directory
  std::string sign;                          // create, merge: a file that keygen made
  std::vector<std::string> keys;             // Trusted; empty = signed or not
  bool json = false;
};
int BundleCommand(const BundleFlags& flags);

struct ExplainMissFlags {
  KernelFlags kernel;
  std::string dir;
  bool json = false;
};
int ExplainMiss(const ExplainMissFlags& flags);

struct DeviceFlags {
  bool json = false;
};
int Device(const DeviceFlags& flags);

}  // namespace kiln::tool

#endif  // KILN_TOOLS_KILN_COMMANDS_H_
