#!/bin/sh
# What Maven does with this module; see pom.xml.
#   sh scripts/maven.sh build   npm ci and npm run build, where they are due, and the bundle's copy
#   sh scripts/maven.sh test    npm test and the reference's check, unless tests are skipped or single Java tests are run
# BUNDLE: where the copy goes. HOLDFAST_JS=skip: nothing is done, and there is no copy.
set -eu
cd "$(dirname "$0")/.."

die() {
  echo "client-js: $*" >&2
  echo "client-js: Node.js comes from https://nodejs.org or your system's packages (npm with it);" >&2
  echo "client-js: mvn -Dholdfast.js=skip builds without: the pages of \`holdfast dev\` then lack the library" >&2
  exit 1
}

if [ "${HOLDFAST_JS:-build}" = skip ]; then
  echo "client-js: left out (holdfast.js=skip)"
  mkdir -p "$(dirname "$BUNDLE")"
  rm -f "$BUNDLE" "$(dirname "$BUNDLE")/tabs.js" "$(dirname "$BUNDLE")/history.js"
  exit 0
fi
command -v node >/dev/null 2>&1 || die "Node.js is missing; version 20 or later is needed"
version=$(node -p 'process.versions.node.split(".")[0]')
[ "$version" -ge 20 ] || die "$(command -v node) is version $version; 20 or later is needed"
command -v npm >/dev/null 2>&1 || die "npm is missing beside $(command -v node)"

# Nothing under the paths given is newer than the file.
fresh() {
  file=$1
  shift
  [ -f "$file" ] && [ -z "$(find "$@" -type f -newer "$file" -print 2>/dev/null | head -n 1)" ]
}

case $1 in
  build)
    # A mark of our own: npm's own file in there keeps the time of an older one where it is equal.
    if ! fresh node_modules/.holdfast-installed package-lock.json; then
      npm ci --no-audit --no-fund
      touch node_modules/.holdfast-installed
    fi
    if ! [ -f dist/index.js ] ||
      ! fresh node_modules/.holdfast-built src scripts package.json package-lock.json tsconfig*.json; then
      npm run build
      touch node_modules/.holdfast-built
    fi
    mkdir -p "$(dirname "$BUNDLE")"
    cmp -s dist/index.js "$BUNDLE" || cp dist/index.js "$BUNDLE"
    # What the bundle loads from beside it when it needs it.
    for part in tabs history; do
      copy=$(dirname "$BUNDLE")/$part.js
      cmp -s "dist/$part.js" "$copy" || cp "dist/$part.js" "$copy"
    done
    ;;
  test)
    # Maven leaves what nobody gave as it stands in the pom.
    # shellcheck disable=SC2016
    if [ "${SKIP_TESTS:-false}" = true ] || [ "${MAVEN_TEST_SKIP:-false}" = true ]; then
      echo "client-js: tests are skipped"
    elif [ "${2:-only=}" != only= ] && [ "$2" != 'only=${test}' ]; then
      echo "client-js: single Java tests are asked for; npm test is left out"
    else
      npm test
      # The reference has no warning; it is not kept.
      npm run docs -- --emit none
    fi
    ;;
  *)
    die "build or test, not $1"
    ;;
esac
