# Writes the header OUT, which defines NAME as the SHA-256 of the names and contents of all sources below FOLDER (a path
# from ROOT). Run at build time, with cmake -P; the header is touched only when the digest changes.
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/${FOLDER}/*)
list(FILTER sources INCLUDE REGEX "\\.(h|cc|inc|proto|textproto)$")
list(SORT sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${ROOT}/${source} digest)
  string(APPEND all "${source} ${digest}\n")
endforeach()
string(SHA256 fingerprint "${all}")
file(WRITE ${OUT}.new "// Made by tools/cmake/SourceFingerprint.cmake.
#pragma once
inline constexpr char ${NAME}[] = \"${fingerprint}\";
")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
