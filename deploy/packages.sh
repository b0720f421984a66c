#!/bin/sh
# Installs the Debian packages that Seckill needs and this machine lacks.
#
#   deploy/packages.sh run     what building and `seckill up` need
#   deploy/packages.sh test    and what the browser tests need
#
# When nothing is missing it touches nothing and asks no network. It installs as root or with sudo;
# where it may not, or where there is no apt-get, it names what to install and fails.
set -eu

missing=
# $1: the package; the rest: a command that succeeds when it is not needed
need() {
    package=$1
    shift
    if ! "$@" >/dev/null 2>&1; then missing="$missing $package"; fi
}
# An administrator's programs are not in everybody's PATH.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin
has() { for program; do command -v "$program" || return 1; done; }
has_rabbitmq() { [ -x /usr/lib/rabbitmq/bin/rabbitmq-server ] || has rabbitmq-server; }
has_client_library() { pkg-config --exists libmariadb || pkg-config --exists mysqlclient; }

need gcc has cc
need libc6-dev test -e /usr/include/stdlib.h
need pkg-config has pkg-config
need libmariadb-dev has_client_library
need redis-server has redis-server
need mariadb-server has mariadbd mariadb-install-db
need rabbitmq-server has_rabbitmq
case ${1-} in
    run) ;;
    test)
        need chromium has chromium
        need chromium-driver has chromedriver
        ;;
    *)
        echo "usage: $0 run|test" >&2
        exit 2
        ;;
esac
missing=${missing# }
if [ -z "$missing" ]; then exit 0; fi

give_up() {
    printf 'Missing: %s\n%s; please install them, on Debian with:\n\n    apt-get install %s\n\n' \
        "$missing" "$1" "$missing" >&2
    exit 1
}

if ! has apt-get >/dev/null; then give_up 'There is no apt-get here'; fi
if [ "$(id -u)" -ne 0 ]; then
    if ! has sudo >/dev/null; then give_up 'Installing needs root, and there is no sudo'; fi
    # Without a terminal sudo must not stop to ask for a password.
    if [ -t 0 ]; then ask=; else ask=-n; fi
    echo "Missing: $missing. Installing with sudo."
    # shellcheck disable=SC2086 # empty, or one flag
    sudo $ask sh "$0" "$1" || give_up 'They could not be installed with sudo'
    exit 0
fi

# Debian starts a service as soon as it is installed. Seckill starts its own servers, so the system's
# shall not occupy this machine: for as long as the installation takes, a policy says so, the
# way Debian provides for it. A policy that the machine has already is left alone.
policy=/usr/sbin/policy-rc.d
mark='# made by deploy/packages.sh of seckill, gone when the installation is done'
if [ ! -e "$policy" ] || grep -qxF "$mark" "$policy"; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 1' HUP INT TERM
    printf '#!/bin/sh\n%s\nexit 101\n' "$mark" >"$policy"
    chmod 755 "$policy"
fi

echo "Installing $missing"
export DEBIAN_FRONTEND=noninteractive
apt() { apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null; }
apt update || echo 'The package lists could not be refreshed; trying with those at hand.' >&2
# shellcheck disable=SC2086 # several packages
apt install -y --no-install-recommends $missing || give_up 'They could not be installed'
