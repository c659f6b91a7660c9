// A bundle as a layer that is only read: its file is mapped, its index checked once, each entry when it is asked for.
//
// A bundle in use is replaced by giving another file its name, never by writing into it: who has mapped it keeps the
// one that was opened.
#ifndef KILN_CACHE_BUNDLE_STORE_H_
#define KILN_CACHE_BUNDLE_STORE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cache/bundle.h"
#include "cache/mapped_file.h"
#include "cache/root_dir.h"
#include "cache/store.h"

namespace kiln::cache {

// An open bundle.
class Bundle {
 public:
  // `where.path` is the file's. PermissionDenied: it is a link or no regular file, owned by a user who is neither us
  // nor root, or writable by others, and `where.allow_shared` is not set; or `trusted` is not empty and none of them
  // signed it. Else as BundleView::Parse fails, or as the system does.
  static absl::StatusOr<std::shared_ptr<const Bundle>> Open(const RootOptions& where,
                                                            const std::vector<PublicKey>& trusted);

  const BundleView& view() const { return view_; }
  const std::string& path() const { return path_; }
  // Whether the file still has the size that was mapped; what was cut off must not be touched.
  bool IsWhole() const { return file_.IsWhole(); }

 private:
  Bundle(std::string path, MappedFile file, BundleView view)
      : path_(std::move(path)), file_(std::move(file)), view_(view) {}

  const std::string path_;
  const MappedFile file_;
  const BundleView view_;
};

class BundleStore : public Store {
 public:
  explicit BundleStore(std::shared_ptr<const Bundle> bundle) : bundle_(std::move(bundle)) {}

  Lookup Get(const Key& key) override;
  void Put(const EntryPtr&) override {}
  void AddStats(Stats* stats) const override;

 private:
  const std::shared_ptr<const Bundle> bundle_;
  Counter hits_, misses_, corrupt_;
};

}  // namespace kiln::cache

#endif  // KILN_CACHE_BUNDLE_STORE_H_
