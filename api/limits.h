// Bounds of what a launch may take. They size arrays on the launch path, so a kernel over one is refused when loaded.
#ifndef KILN_API_LIMITS_H_
#define KILN_API_LIMITS_H_

namespace kiln::api {

inline constexpr int kMaxArgs = 32;
inline constexpr int kMaxRank = 8;
inline constexpr int kMaxSymbols = 32;
inline constexpr int kMaxDTypeParams = 8;

}  // namespace kiln::api

#endif  // KILN_API_LIMITS_H_
