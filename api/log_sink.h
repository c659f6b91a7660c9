// Where messages for people go: the library prints nothing by itself.
#ifndef KILN_API_LOG_SINK_H_
#define KILN_API_LOG_SINK_H_

#include <functional>
#include <string_view>

namespace kiln::api {

enum class LogLevel { kInfo = 0, kWarning = 1, kError = 2 };

// May be empty: then nothing is logged. Called from any thread; the text lives for the call alone.
using LogSink = std::function<void(LogLevel level, std::string_view text)>;

}  // namespace kiln::api

#endif  // KILN_API_LOG_SINK_H_
