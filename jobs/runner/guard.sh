# The helper of a dispatcher: kills what it leaves behind. Its input is a line
# with the mark of the dispatcher's processes, then "add GROUP" and "del GROUP",
# and "bye" when the dispatcher ends in order. The end of the input without a
# "bye" means that the dispatcher is dead.
trap '' HUP INT QUIT TERM
read -r mark && [ -n "$mark" ] || exit 0
groups=
while read -r verb group; do
	case $verb in
	add) groups="$groups $group" ;;
	del)
		rest=
		for g in $groups; do
			[ "$g" = "$group" ] || rest="$rest $g"
		done
		groups=$rest
		;;
	bye) exit 0 ;;
	esac
done
exec 2>/dev/null
# What descends from the groups, while the parents are still there to tell: a
# child in a session of its own may carry no mark.
table=
for f in /proc/[0-9]*/stat; do
	read -r line <"$f" || continue
	set -- ${line##*) } # state, parent, group
	table="$table ${line%% *}:$2:$3"
done
kin=' '
more=$groups
while [ -n "$more" ]; do
	more=
	for t in $table; do
		pid=${t%%:*} parent=${t#*:} group=${t##*:}
		parent=${parent%%:*}
		case $kin in *" $pid "*) continue ;; esac
		case "$groups " in *" $group "*) ;; *) case $kin in *" $parent "*) ;; *) continue ;; esac ;; esac
		kin="$kin$pid "
		more=1
	done
done
for g in $groups; do
	kill -KILL "-$g"
done
for pid in $kin; do
	kill -KILL "$pid"
done
# Then whatever carries the mark, in a session of its own too; again and again,
# as it may be starting more. Without /proc there is nothing to find.
round=0
while [ "$round" -lt 100 ]; do
	found=$(grep -lsF -e "$mark" /proc/[0-9]*/environ)
	[ -n "$found" ] || exit 0
	for f in $found; do
		pid=${f#/proc/}
		kill -KILL "${pid%/environ}"
	done
	round=$((round + 1))
done
