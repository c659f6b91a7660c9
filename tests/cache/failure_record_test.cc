#include "cache/failure_record.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "gtest/gtest.h"

namespace kiln::cache {
namespace {

absl::Status FailureWithLog() {
  absl::Status failure = absl::InternalError("compile: 2 errors\nin kernel");
  failure.SetPayload("kiln/log", absl::Cord(absl::string_view("line 1\n\0line 2", 14)));
  failure.SetPayload("kiln/command", absl::Cord("nvrtc"));
  return failure;
}

TEST(FailureRecordTest, KeepsCodeMessageAndLog) {
  EXPECT_EQ(DecodeFailure(EncodeFailure(FailureWithLog())), FailureWithLog());
}

TEST(FailureRecordTest, RefusesEveryFlippedByteAndTruncation) {
  const std::string record = EncodeFailure(FailureWithLog());
  for (size_t i = 0; i < record.size(); ++i) {
    std::string flipped = record;
    flipped[i] = static_cast<char>(flipped[i] ^ 1);
    EXPECT_EQ(DecodeFailure(flipped), std::nullopt) << i;
    EXPECT_EQ(DecodeFailure(record.substr(0, i)), std::nullopt) << i;
  }
}

TEST(FailureRecordTest, CutsALogBeyondTheBound) {
  absl::Status failure = absl::InternalError("compile: failed");
  failure.SetPayload("kiln/log", absl::Cord(absl::string_view(std::string(2 << 20, 'x'))));
  const std::string record = EncodeFailure(failure);
  EXPECT_LE(record.size(), kMaxFailureRecordBytes);
  const std::optional<absl::Status> decoded = DecodeFailure(record);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->message(), "compile: failed");
  const std::string log(decoded->GetPayload("kiln/log").value_or(absl::Cord()));
  EXPECT_GT(log.size(), kMaxFailureRecordBytes - 200);
  EXPECT_EQ(log, std::string(log.size(), 'x'));
}

TEST(FailureRecordTest, CutsAMessageBeyondTheBound) {
  const std::optional<absl::Status> failure =
      DecodeFailure(EncodeFailure(absl::InternalError(std::string(2 << 20, 'x'))));
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(*failure, absl::InternalError(std::string(512 << 10, 'x')));
}

}  // namespace
}  // namespace kiln::cache
