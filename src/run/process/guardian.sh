# Ends pi's agy processes when pi is gone, however it went. Started by guardian.ts, one for each pi process.
#
# Standard input is a pipe that only pi holds. Lines on it: "+ PID TICKS" when an agy began (the group it leads, and the
# start time of its leader; "-" where the platform tells none), "- PID" when it is gone. The end of the pipe is the end of
# pi; until then this script sleeps in "read".
#
# $1: the beginning of the variable that every process of this pi's runs carries in its environment (Linux).
trap '' HUP INT TERM QUIT
mark=$1
groups=" "

while read -r what pid start; do
	case $what in
	+) groups="$groups$pid:$start " ;;
	-)
		kept=" "
		for entry in $groups; do
			case $entry in "$pid":*) ;; *) kept="$kept$entry " ;; esac
		done
		groups=$kept
		;;
	esac
done

# Field 22 of /proc/PID/stat, counted behind the command name, which may hold anything.
started() {
	if [ -r "/proc/$1/stat" ]; then
		stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
		set -- ${stat##*) }
		shift 19
		echo "$1"
	else
		LC_ALL=C ps -o lstart= -p "$1" 2>/dev/null | sed 's/^ *//; s/ *$//; s/  */_/g'
	fi
}

# A group is ours while its leader is the process that was named, or is gone and only its children are left.
is_ours() {
	now=$(started "${1%%:*}")
	[ -z "$now" ] || [ "$now" = "${1#*:}" ]
}

# All that descends from the leaders, with start times: agy gives each command a group of its own, and a command may have
# cleaned its environment.
descendants() {
	roots=" "
	for entry in $groups; do is_ours "$entry" && roots="$roots${entry%%:*} "; done
	for pid in $(ps -axo pid=,ppid= 2>/dev/null | awk -v roots="$roots" '
		{ parent[$1] = $2 }
		END {
			for (pid in parent)
				for (up = parent[pid]; up > 1; up = parent[up])
					if (index(roots, " " up " ")) { print pid; break }
		}'); do
		echo "$pid:$(started "$pid")"
	done
}

end_all() {
	for entry in $groups; do is_ours "$entry" && kill -s "$1" -- "-${entry%%:*}" 2>/dev/null; done
	for entry in $tree; do
		pid=${entry%%:*}
		[ "$(started "$pid")" = "${entry#*:}" ] && kill -s "$1" "$pid" 2>/dev/null
	done
	[ -n "$mark" ] && [ -d /proc/self ] || return 0
	for environ in $(grep -slF "$mark" /proc/[0-9]*/environ 2>/dev/null); do
		pid=${environ#/proc/}
		pid=${pid%/environ}
		[ "$pid" = "$$" ] || kill -s "$1" "$pid" 2>/dev/null
	done
}

[ "$groups" = " " ] && exit 0
tree=$(descendants)
end_all INT
sleep 1
end_all KILL
