# shellcheck shell=bash disable=SC2034
# The distribution packages that Kiln needs, and how they are installed; sourced by tools/quickstart and .ci/run.
# The names are those of Debian 12 and of Ubuntu 24.04.

# To build everything that is shipped.
KILN_BUILD_PACKAGES=(
  ccache
  cmake
  dpkg-dev
  g++
  libabsl-dev
  libcli11-dev
  libdtl-dev
  libprotobuf-dev
  libsodium-dev
  libxxhash-dev
  libzstd-dev
  lld-19
  llvm-19-dev
  ninja-build
  nlohmann-json3-dev
  pkg-config
  protobuf-compiler
  python3
  python3-dev
  zlib1g-dev
)

# To build and run the tests as well.
KILN_TEST_PACKAGES=(
  libgmock-dev
  libgtest-dev
  librapidcheck-dev
  python3-numpy
  python3-venv
)

# What tools/check runs besides the tests: formatter, linter, sanitizers, fuzzer, speller.
KILN_CHECK_PACKAGES=(
  clang-19
  clang-format-19
  clang-tidy-19
  codespell
  git
  libclang-rt-19-dev
  shellcheck
)

# kiln_missing_packages NAME...: prints those that are not installed, one a line.
kiln_missing_packages() {
  local name
  for name in "$@"; do
    if [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$name" 2>/dev/null)" != installed ]]; then
      echo "$name"
    fi
  done
}

# kiln_as_root COMMAND...: runs it as root, through sudo where that is needed.
kiln_as_root() {
  if [[ "$(id -u)" == 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "error: installing packages needs root, and there is no sudo here; as root, run: $*" >&2
    return 1
  fi
}

# kiln_install_packages NAME...: installs what is missing. A fresh machine has no package lists, an old one has stale
# ones; both show as a failed first attempt, which is repeated once after an update.
kiln_install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "error: packages are installed with apt-get (Debian 12, Ubuntu 24.04), which is not here;" >&2
    echo "       install these under the names your system has for them, then pass --no-install: $*" >&2
    return 1
  fi
  local -a missing
  mapfile -t missing < <(kiln_missing_packages "$@")
  if [[ "${#missing[@]}" == 0 ]]; then
    return 0
  fi
  echo "installing: ${missing[*]}"
  local -a install=(env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends
    -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "${missing[@]}")
  if kiln_as_root "${install[@]}"; then
    return 0
  fi
  echo "updating the package lists, then trying again"
  if ! kiln_as_root apt-get update --quiet || ! kiln_as_root "${install[@]}"; then
    echo "error: apt-get could not install: ${missing[*]}" >&2
    echo "       is this Debian 12 or Ubuntu 24.04, and are its archives (on Ubuntu also 'universe') reachable?" >&2
    return 1
  fi
}
