/* The C ABI of libkiln: all that the library exports.
 *
 *   kiln_error* error = kiln_error_create();
 *   kiln_runtime* runtime = NULL;
 *   if (kiln_runtime_create(NULL, &runtime, error) != KILN_OK) puts(kiln_error_message(error));
 *
 * Conventions, which hold for every function below:
 *   - A function that can fail returns a kiln_code, takes a kiln_error* last, which may be NULL, and sets its outputs
 *     only when it returns KILN_OK. No C++ exception leaves the library.
 *   - Handles are opaque. What `create`, `load`, `find`, `prepare` or `wait` gives, the caller destroys, in any order:
 * a handle keeps alive what it needs. Destroying NULL does nothing.
 *   - Structs that may grow begin with `size`, which the caller sets to sizeof the struct that it was compiled with;
 *     kiln_*_init does so. Fields that a caller's version does not have take their defaults.
 *   - Strings are UTF-8 and end in 0. Those inside a handle live as long as the handle.
 *   - Every handle but kiln_error may be used from any number of threads at once.
 *   - Tensors are borrowed for the call alone. The caller owns streams, memory and workspaces; Kiln neither allocates
 *     device memory nor waits for a stream in a launch.
 *
 * Values of enumerators never change; new ones are added at the end.
 */
#ifndef KILN_C_API_H_
#define KILN_C_API_H_

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define KILN_EXPORT __attribute__((visibility("default")))
#else
#define KILN_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions ---------------------------------------------------------------------------------------------------- */

/* Grows when something is added; a program may use a library of the same or a later minor version. */
#define KILN_ABI_MAJOR 1
#define KILN_ABI_MINOR 0

/* (major << 16) | minor of the library that was loaded. */
KILN_EXPORT uint32_t kiln_abi_version(void);
/* Of the release: "0.1.0". */
KILN_EXPORT const char* kiln_version(void);

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

typedef int32_t kiln_code;
enum {
  KILN_OK = 0,
  KILN_CANCELLED = 1, /* The caller asked for it */
  KILN_UNKNOWN = 2,
  KILN_INVALID_ARGUMENT = 3,    /* A kernel, an option or an argument is not what it must be */
  KILN_DEADLINE_EXCEEDED = 4,   /* A compile took longer than it may */
  KILN_NOT_FOUND = 5,           /* No such op, device, target */
  KILN_RESOURCE_EXHAUSTED = 8,  /* Memory, or a bound of the kernel's launch */
  KILN_FAILED_PRECONDITION = 9, /* Right in itself, but not now: nothing loaded while only loaded kernels may run */
  KILN_OUT_OF_RANGE = 11,
  KILN_UNIMPLEMENTED = 12, /* A shape or target that no rule handles */
  KILN_INTERNAL = 13,      /* The driver or the vendor's compiler failed; or a fault of ours */
  KILN_UNAVAILABLE = 14,   /* A library or device that is not there */
  KILN_DATA_LOSS = 15      /* Damaged bytes */
};

/* What went wrong last. Owned by the caller, one a thread; a call that succeeds leaves it as it was. */
typedef struct kiln_error kiln_error;

KILN_EXPORT kiln_error* kiln_error_create(void); /* NULL only when there is no memory */
KILN_EXPORT void kiln_error_destroy(kiln_error* error);
KILN_EXPORT kiln_code kiln_error_code(const kiln_error* error);
/* The stage of the line that failed: "parse", "specialize", "plan", "compile", "load", "launch", ... */
KILN_EXPORT const char* kiln_error_stage(const kiln_error* error);
/* Stage, subject, what was expected, what was found. */
KILN_EXPORT const char* kiln_error_message(const kiln_error* error);

/* ---- Options ----------------------------------------------------------------------------------------------------- */

enum { KILN_LOG_INFO = 0, KILN_LOG_WARNING = 1, KILN_LOG_ERROR = 2 };

/* Called from any thread, with locks of ours held: it neither calls Kiln nor waits. `text` lives for the call alone. */
typedef void (*kiln_log_fn)(void* context, int32_t level, const char* text);

#define KILN_PATH_BYTES 4096

typedef struct kiln_options {
  size_t size;
  /* Absolute path of the disk cache, then, with colons between, those of read-only layers below it,
   * directories or bundles; "" = this process's
   * memory alone. A directory that cannot be used is reported to the log and done without. */
  char cache_dir[KILN_PATH_BYTES];
  /* The directory may belong to, or be writable by, other users: set only where they are trusted with our code. */
  int32_t cache_shared;
  /* Bytes of binaries kept in memory. */
  uint64_t memory_cache_bytes;
  /* The libnvrtc to open; "" = as the loader finds it. */
  char nvrtc_path[KILN_PATH_BYTES];
  /* The libkiln-llvm.so to open; "" = the one beside this library. */
  char llvm_path[KILN_PATH_BYTES];
  /* After this a compile fails with KILN_DEADLINE_EXCEEDED. */
  int32_t compile_deadline_ms;
  /* Threads for kiln_op_prepare; 0 = as many as the host has, at most 4. */
  int32_t compile_threads;
  /* Threads of the CPU device; 0 = as many as the host has. */
  int32_t cpu_threads;
  /* Devices of type KILN_DEVICE_FAKE, which check, compile for the host CPU, load and launch as any other, but run
   * nothing: for tests, and for measuring what a call costs. */
  int32_t fake_devices;
  /* Where messages go; NULL = nowhere. */
  kiln_log_fn log;
  void* log_context;
  /* Called with log_context once nothing logs any more, a failed kiln_runtime_create included; may be NULL. */
  void (*log_release)(void* context);
  /* What the disk cache may hold; beyond, the least recently used entries go. 0 = no limit. */
  uint64_t cache_max_bytes;
  uint64_t cache_max_entries;
  /* Ed25519 public keys, 64 hexadecimal digits each, with colons between; if there are any, a bundle serves only if one
   * of them signed it. */
  char cache_trusted_keys[KILN_PATH_BYTES];
} kiln_options;

/* The defaults: no disk cache, no log. */
KILN_EXPORT void kiln_options_init(kiln_options* options, size_t size);
/* The defaults, changed by the environment: KILN_CACHE_DIR (else the first that can be written of
 * XDG_CACHE_HOME/kiln, HOME/.cache/kiln and TMPDIR/kiln-USER), KILN_CACHE_MAX_BYTES, KILN_CACHE_MAX_ENTRIES,
 * KILN_CACHE_TRUSTED_KEYS, KILN_NVRTC, KILN_LLVM, KILN_COMPILE_THREADS, KILN_CPU_THREADS, KILN_COMPILE_DEADLINE_MS. The
 * only function that reads it. */
KILN_EXPORT kiln_code kiln_options_from_environment(kiln_options* options, size_t size, kiln_error* error);

/* ---- Tensors: DLPack --------------------------------------------------------------------------------------------- */

/* These are the structs of DLPack 1.x under names of our own, so that they stand beside any dlpack.h; a pointer to one
 * may be cast to the other. */
enum {
  KILN_DEVICE_CPU = 1,
  KILN_DEVICE_CUDA = 2,
  KILN_DEVICE_CUDA_HOST = 3,
  KILN_DEVICE_FAKE = 12, /* kDLExtDev */
  KILN_DEVICE_CUDA_MANAGED = 13
};

typedef struct kiln_dl_device {
  int32_t device_type;
  int32_t device_id;
} kiln_dl_device;

enum {
  KILN_DL_INT = 0,
  KILN_DL_UINT = 1,
  KILN_DL_FLOAT = 2,
  KILN_DL_BFLOAT = 4,
  KILN_DL_BOOL = 6,
  KILN_DL_FLOAT8_E4M3FN = 10,
  KILN_DL_FLOAT8_E5M2 = 12,
  KILN_DL_FLOAT8_E8M0FNU = 14,
  KILN_DL_FLOAT4_E2M1FN = 17
};

typedef struct kiln_dl_type {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} kiln_dl_type;

typedef struct kiln_dl_tensor {
  void* data;
  kiln_dl_device device;
  int32_t ndim;
  kiln_dl_type dtype;
  int64_t* shape;
  int64_t* strides; /* In elements; NULL = dense, row-major */
  uint64_t byte_offset;
} kiln_dl_tensor;

/* DLManagedTensor, of DLPack before 1.0 and still the capsule "dltensor". */
typedef struct kiln_dl_managed_tensor {
  kiln_dl_tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct kiln_dl_managed_tensor* self);
} kiln_dl_managed_tensor;

typedef struct kiln_dl_version {
  uint32_t major;
  uint32_t minor;
} kiln_dl_version;

#define KILN_DL_READ_ONLY 1ull

/* DLManagedTensorVersioned, the capsule "dltensor_versioned". */
typedef struct kiln_dl_managed_tensor_versioned {
  kiln_dl_version version;
  void* manager_ctx;
  void (*deleter)(struct kiln_dl_managed_tensor_versioned* self);
  uint64_t flags;
  kiln_dl_tensor dl_tensor;
} kiln_dl_managed_tensor_versioned;

/* One argument of a launch. An integer is given to integer and float parameters that can hold it exactly; a double to
 * float parameters, rounded to nearest even. */
typedef enum kiln_arg_kind {
  KILN_ARG_TENSOR = 1,
  KILN_ARG_MANAGED = 2,
  KILN_ARG_MANAGED_VERSIONED = 3,
  KILN_ARG_INT = 4,
  KILN_ARG_FLOAT = 5
} kiln_arg_kind;

typedef struct kiln_arg {
  int32_t kind;
  int32_t reserved; /* 0 */
  union {
    const kiln_dl_tensor* tensor;
    const kiln_dl_managed_tensor* managed;
    const kiln_dl_managed_tensor_versioned* versioned;
    int64_t integer;
    double number;
  } as;
} kiln_arg;

/* ---- Runtime ----------------------------------------------------------------------------------------------------- */

typedef struct kiln_runtime kiln_runtime;
typedef struct kiln_module kiln_module;
typedef struct kiln_op kiln_op;
typedef struct kiln_future kiln_future;
typedef struct kiln_executable kiln_executable;

/* One runtime serves all devices of a process. NULL options = kiln_options_init's. Opens no device: that waits for the
 * first use of one. */
KILN_EXPORT kiln_code kiln_runtime_create(const kiln_options* options, kiln_runtime** runtime, kiln_error* error);
KILN_EXPORT void kiln_runtime_destroy(kiln_runtime* runtime);

typedef struct kiln_device_info {
  size_t size;
  kiln_dl_device device;
  char name[128];
  char arch[256];
  int32_t multiprocessors; /* Worker threads of a CPU */
  int64_t shared_bytes;    /* Of a CTA, at most */
} kiln_device_info;

/* Opens the drivers. Devices are listed CPU first; a machine without NVIDIA's driver has no CUDA device. */
KILN_EXPORT kiln_code kiln_runtime_device_count(kiln_runtime* runtime, size_t* count, kiln_error* error);
KILN_EXPORT kiln_code kiln_runtime_device(kiln_runtime* runtime, size_t index, kiln_device_info* info,
                                          kiln_error* error);

/* Counts since the runtime was created. */
typedef struct kiln_stats {
  size_t size;
  uint64_t launches;
  uint64_t loads;    /* Binaries loaded onto a device */
  uint64_t compiles; /* Runs of a vendor's compiler, failed ones included */
  uint64_t compile_failures;
  uint64_t memory_hits;    /* Binaries found in this process */
  uint64_t disk_hits;      /* Binaries found on disk */
  uint64_t misses;         /* Binaries found nowhere */
  uint64_t disk_corrupt;   /* Damaged entries met; each was a miss too */
  double compile_seconds;  /* Of the runs above */
  uint64_t bundle_hits;    /* Binaries found in bundles */
  uint64_t disk_evictions; /* Entries that this process removed from the disk cache, because there were too many */
} kiln_stats;

KILN_EXPORT kiln_code kiln_runtime_stats(kiln_runtime* runtime, kiln_stats* stats, kiln_error* error);

/* ---- Modules and ops --------------------------------------------------------------------------------------------- */

/* `bytes` are a module's wire form, as `kiln encode` writes it, and are not needed afterwards. `name` is what errors
 * call them; NULL = "module". */
KILN_EXPORT kiln_code kiln_runtime_load(kiln_runtime* runtime, const void* bytes, size_t size, const char* name,
                                        kiln_module** module, kiln_error* error);
/* The same from `.kiln` text. */
KILN_EXPORT kiln_code kiln_runtime_load_text(kiln_runtime* runtime, const char* text, size_t size, const char* name,
                                             kiln_module** module, kiln_error* error);
KILN_EXPORT void kiln_module_destroy(kiln_module* module);
/* Its ops, then its kernels, in the order of the text. */
KILN_EXPORT size_t kiln_module_name_count(const kiln_module* module);
KILN_EXPORT const char* kiln_module_name(const kiln_module* module, size_t index);

typedef struct kiln_setting {
  const char* name;
  int64_t value;
} kiln_setting;

enum {
  KILN_ON_MISS_COMPILE = 0, /* Compile in the caller's thread */
  KILN_ON_MISS_FAIL = 1     /* KILN_FAILED_PRECONDITION: only what was prepared may run */
};

typedef struct kiln_op_options {
  size_t size;
  /* Values for integer meta-parameters; those left out take the compiler's choice. */
  const kiln_setting* settings;
  size_t num_settings;
  int32_t on_miss;
} kiln_op_options;

KILN_EXPORT void kiln_op_options_init(kiln_op_options* options, size_t size);

/* An op, or a kernel, by its name. NULL options = kiln_op_options_init's. */
KILN_EXPORT kiln_code kiln_module_find(const kiln_module* module, const char* name, const kiln_op_options* options,
                                       kiln_op** op, kiln_error* error);
KILN_EXPORT void kiln_op_destroy(kiln_op* op);

typedef struct kiln_param_info {
  size_t size;
  const char* name;
  int32_t is_tensor;
  int32_t rank;
  int32_t written; /* `out` or `inout` */
} kiln_param_info;

KILN_EXPORT size_t kiln_op_param_count(const kiln_op* op);
KILN_EXPORT kiln_code kiln_op_param(const kiln_op* op, size_t index, kiln_param_info* info, kiln_error* error);

/* Checks the arguments, finds the executable that fits them, compiles and loads it where there is none yet, and
 * launches it. `stream` is a CUstream; NULL is the caller's default stream. The CPU runs before it returns. */
KILN_EXPORT kiln_code kiln_op_launch(const kiln_op* op, void* stream, const kiln_arg* args, size_t num_args,
                                     kiln_error* error);

/* Warm-up: what kiln_op_launch would do with arguments like these, all but the launch, on a thread of Kiln's own. A
 * tensor's data may be NULL, which stands for an address that 16 divides; scalars are looked at for their kind alone.
 */
KILN_EXPORT kiln_code kiln_op_prepare(const kiln_op* op, const kiln_arg* args, size_t num_args, kiln_future** future,
                                      kiln_error* error);

KILN_EXPORT int32_t kiln_future_ready(const kiln_future* future);
/* Waits at most `timeout_ms` (less than 0: without bound), then KILN_DEADLINE_EXCEEDED. May be called again. */
KILN_EXPORT kiln_code kiln_future_wait(const kiln_future* future, int64_t timeout_ms, kiln_executable** executable,
                                       kiln_error* error);
KILN_EXPORT void kiln_future_destroy(kiln_future* future);

/* ---- Executables ------------------------------------------------------------------------------------------------- */

enum { KILN_CACHE_MISS = 0, KILN_CACHE_MEMORY = 1, KILN_CACHE_DISK = 2, KILN_CACHE_BUNDLE = 3 };

typedef struct kiln_executable_info {
  size_t size;
  const char* kernel;
  const char* arch;
  const char* config; /* "BM=128,BN=128" */
  const char* rules;  /* The rule chosen for each tile operation, one a line: "cta.copy: vector" */
  int32_t cache;      /* Where the binary came from */
  double compile_ms;  /* 0 unless it was compiled */
  int32_t registers;  /* Of a thread; -1 = not reported */
  int64_t shared_bytes;
  int64_t spill_bytes;
} kiln_executable_info;

KILN_EXPORT kiln_code kiln_executable_describe(const kiln_executable* executable, kiln_executable_info* info,
                                               kiln_error* error);
/* As kiln_op_launch, for arguments that fit what the executable was made for, which is checked. */
KILN_EXPORT kiln_code kiln_executable_launch(const kiln_executable* executable, void* stream, const kiln_arg* args,
                                             size_t num_args, kiln_error* error);
KILN_EXPORT void kiln_executable_destroy(kiln_executable* executable);

/* ---- Text and bytes ---------------------------------------------------------------------------------------------- */

typedef struct kiln_buffer kiln_buffer;

/* `.kiln` text to the wire form. */
KILN_EXPORT kiln_code kiln_encode(const char* text, size_t size, const char* name, kiln_buffer** bytes,
                                  kiln_error* error);
/* The wire form to canonical text. */
KILN_EXPORT kiln_code kiln_decode(const void* bytes, size_t size, kiln_buffer** text, kiln_error* error);
KILN_EXPORT const void* kiln_buffer_data(const kiln_buffer* buffer);
KILN_EXPORT size_t kiln_buffer_size(const kiln_buffer* buffer);
KILN_EXPORT void kiln_buffer_destroy(kiln_buffer* buffer);

#ifdef __cplusplus
}
#endif

#endif /* KILN_C_API_H_ */
