# Ends the servers of one data directory when their owner has gone.
# $1: the directory   $2: "keep" its data, or "remove" the directory with it
# Standard input: a process id per line. Its end is the owner's end.
trap '' HUP INT QUIT TERM
dir=$1
pids=
while read -r pid; do pids="$pid $pids"; done

# The number may have gone to a stranger since: only a process that works in the directory is ours.
ours() {
    case $(readlink "/proc/$1/cwd") in
        "$dir"/*) return 0 ;;
        *) return 1 ;;
    esac
}

# Sends a signal to those that are left; fails when none is.
send() {
    left=1
    for pid in $pids; do
        if ours "$pid"; then
            kill "-$1" "$pid"
            left=0
        fi
    done
    return $left
}

# Waits until none is left, for at most $1 tenths of a second.
settle() {
    tenths=$1
    while [ "$tenths" -gt 0 ] && send 0; do
        sleep 0.1
        tenths=$((tenths - 1))
    done
}

if [ "$2" = keep ] && send TERM; then settle 200; fi
if send KILL; then settle 50; fi
if [ "$2" = remove ]; then rm -rf -- "$dir"; fi
